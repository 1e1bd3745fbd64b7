import type { Recording } from '../sound/decode-recording.ts'

export type TranscriptWord = { readonly word: string; readonly start: number; readonly end: number }

/** A stretch of speech; times in seconds. The members of whisper stand where an engine tells them. */
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
  /** The English name of the language, in lower case; null where the engine does not tell. */
  readonly language: string | null
  readonly segments: readonly TranscriptSegment[]
  /** Empty where the engine tells none. */
  readonly words: readonly TranscriptWord[]
}

export type TranscriptionOrder = {
  readonly recording: Recording
  /** An ISO 639-1 code; null leaves it to the engine. */
  readonly language: string | null
  /** Words that lead the engine. */
  readonly prompt: string | null
  readonly temperature: number | null
  readonly needsWords: boolean
}

/** What makes text of speech. */
export interface Transcriber {
  readonly engine: 'pocketsphinx' | 'http' | 'whisper'
  /** Codes of the languages that it knows; null where only it knows. */
  readonly languages: readonly string[] | null
  /** Whether `prompt` and `temperature` mean anything to it. */
  readonly takesHints: boolean
  /** Whether it can be asked right now; must not wait. Absent where only a call tells. */
  readonly isReady?: () => boolean
  /** @throws ProblemError where it cannot; the signal's reason */
  transcribe(order: TranscriptionOrder, signal: AbortSignal): Promise<Transcript>
}
