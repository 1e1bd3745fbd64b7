export const SPEECH_FORMATS = ['mp3', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

/** Speech as an engine returns it. */
export type Spoken = (
  | { readonly kind: 'wav' | 'mp3' }
  /** Signed 16-bit little-endian samples of one channel. */
  | { readonly kind: 'pcm'; readonly sampleRate: number }
) & {
  readonly bytes: Uint8Array
  /** The length at which the engine silently cuts off. */
  readonly cutAtSeconds?: number
}
