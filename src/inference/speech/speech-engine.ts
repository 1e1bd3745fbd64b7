import type { Voice } from '../voices/voice.ts'

export type SpeechOrder = {
  readonly voice: Voice
  readonly text: string
  /** 1 is the voice's own. */
  readonly speed: number
}

/** What speaks with the voices of one provider. */
export interface SpeechEngine {
  /** The first part of its voices' ids. */
  readonly provider: string
  /** Speeds that it can speak at. */
  readonly speeds: { readonly least: number; readonly most: number }
  /**
   * Gives a WAV file.
   * @throws ProblemError where it cannot; the signal's reason
   */
  speak(order: SpeechOrder, signal: AbortSignal): Promise<Uint8Array>
}
