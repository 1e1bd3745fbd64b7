import type { Voice } from './voice.ts'

/** An engine's description of its voices. */
export type VoiceListing =
  | { readonly isAvailable: true; readonly voices: readonly Voice[] }
  /** `reason` is for the operator: not installed, or what went wrong. */
  | { readonly isAvailable: false; readonly reason: string }

/** The voice list of a speech engine. */
export interface VoiceSource {
  /** The provider's id, the first part of its voices' ids. */
  readonly id: string
  list(signal: AbortSignal): Promise<VoiceListing>
}
