export const SPEECH_FORMATS = ['mp3', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

/** Speech as an engine gives it. */
export type Spoken = (
  | { readonly kind: 'wav' | 'mp3' }
  /** Signed 16-bit little-endian samples of one channel. */
  | { readonly kind: 'pcm'; readonly sampleRate: number }
) & {
  readonly bytes: Uint8Array
  /** Where the engine cuts off what is longer, without a word. */
  readonly cutAtSeconds?: number
}
