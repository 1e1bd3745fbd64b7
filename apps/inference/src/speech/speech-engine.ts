import type { SpeechFormat, Spoken } from '../sound/spoken.ts'
import type { Voice } from '../voices/voice.ts'

export type SpeechOrder = {
  readonly voice: Voice
  readonly text: string
  /** 1 is the voice's own. */
  readonly speed: number
  /** The sold format: an engine returns it, or a lossless source for it, if it can. */
  readonly format: SpeechFormat
}

/** Speaks with the voices of one provider. */
export interface SpeechEngine {
  /** The first part of its voices' ids. */
  readonly provider: string
  /** Speeds that it supports. */
  readonly speeds: { readonly min: number; readonly max: number }
  /** For how long its circuit breaker stays open, known without waiting; absent if it has none. */
  pauseSeconds?(): number
  /** @throws ProblemError if it cannot; the signal's reason */
  speak(order: SpeechOrder, signal: AbortSignal): Promise<Spoken>
}
