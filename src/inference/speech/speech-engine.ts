import type { SpeechFormat, Spoken } from '../sound/spoken.ts'
import type { Voice } from '../voices/voice.ts'

export type SpeechOrder = {
  readonly voice: Voice
  readonly text: string
  /** 1 is the voice's own. */
  readonly speed: number
  /** What is sold: an engine that can give it, or what it is made of without loss, does so. */
  readonly format: SpeechFormat
}

/** What speaks with the voices of one provider. */
export interface SpeechEngine {
  /** The first part of its voices' ids. */
  readonly provider: string
  /** Speeds that it can speak at. */
  readonly speeds: { readonly min: number; readonly max: number }
  /** For how long it is left alone because it failed, known without waiting; absent where it never is. */
  pauseSeconds?(): number
  /** @throws ProblemError where it cannot; the signal's reason */
  speak(order: SpeechOrder, signal: AbortSignal): Promise<Spoken>
}
