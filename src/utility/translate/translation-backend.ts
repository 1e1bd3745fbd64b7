import type { Piece } from './document/segment.ts'
import type { LanguagePair } from './language/language-pair.ts'

export const PROVIDERS = ['apertium', 'libretranslate', 'llm'] as const
export type Provider = (typeof PROVIDERS)[number]

/** Prose with numbers where something is kept; a backend gives the numbers back where they belong. */
export type Pieces = readonly Piece[]

/** What turns prose of one language into another. */
export interface TranslationBackend {
  readonly provider: Provider
  /** For how long it is left alone because it failed, known without waiting; 0 while it is not. */
  pauseSeconds(): number
  /** What it can do as far as it is known without waiting; `any` where it tries every pair, null while unknown. */
  knownPairs(): readonly LanguagePair[] | 'any' | null
  /**
   * The same, asked for where it is not known.
   * @throws ProblemError where it cannot be reached
   */
  loadPairs(signal: AbortSignal): Promise<readonly LanguagePair[] | 'any'>
  /**
   * As many as it is given, in their order. Whether masks came back is for the caller to see.
   * @param pair one of its own
   * @throws ProblemError where it cannot; none is charged
   */
  translate(segments: readonly Pieces[], pair: LanguagePair, signal: AbortSignal): Promise<readonly Pieces[]>
}
