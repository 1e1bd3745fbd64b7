import type { Recording } from '../sound/decode-recording.ts'

export type TranscriptWord = { readonly word: string; readonly start: number; readonly end: number }

/** A segment of speech; times in seconds. The members of whisper are present if an engine reports them. */
export type TranscriptSegment = {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly seek?: number | undefined
  readonly tokens?: readonly number[] | undefined
  readonly temperature?: number | undefined
  readonly avg_logprob?: number | undefined
  readonly compression_ratio?: number | undefined
  readonly no_speech_prob?: number | undefined
}

export type Transcript = {
  readonly text: string
  /** The English name of the language, in lower case; null if the engine does not report it. */
  readonly language: string | null
  readonly segments: readonly TranscriptSegment[]
  /** Empty if the engine reports none. */
  readonly words: readonly TranscriptWord[]
}

export type TranscriptionOrder = {
  readonly recording: Recording
  /** An ISO 639-1 code; null leaves it to the engine. */
  readonly language: string | null
  /** Text that guides the engine. */
  readonly prompt: string | null
  readonly temperature: number | null
  readonly needsWords: boolean
}

/** Converts speech to text. */
export interface Transcriber {
  readonly engine: 'http' | 'whisper'
  /** Codes of the supported languages; null if only the engine knows them. */
  readonly languages: readonly string[] | null
  /** Whether it is available right now; must not wait. Absent if only a call shows it. */
  readonly isReady?: () => boolean
  /** @throws ProblemError if it cannot; the signal's reason */
  transcribe(order: TranscriptionOrder, signal: AbortSignal): Promise<Transcript>
}
