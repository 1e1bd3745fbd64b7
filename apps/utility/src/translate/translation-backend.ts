import type { Piece } from './document/segment.ts'
import type { LanguagePair } from './language/language-pair.ts'

export const PROVIDERS = ['bergamot', 'libretranslate', 'llm'] as const
export type Provider = (typeof PROVIDERS)[number]

/** Prose with numbers for the masked parts; a backend returns the numbers where they belong. */
export type Pieces = readonly Piece[]

/** Translates prose from one language to another. */
export interface TranslationBackend {
  readonly provider: Provider
  /** How long its circuit breaker stays open after failures, ms, without waiting; 0 while it is closed. */
  pauseSeconds(): number
  /**
   * The supported pairs as far as they are known without waiting; `any` if it accepts every pair, null while
   * unknown.
   */
  knownPairs(): readonly LanguagePair[] | 'any' | null
  /** The same, loaded if unknown. @throws ProblemError if the backend cannot be reached */
  loadPairs(signal: AbortSignal): Promise<readonly LanguagePair[] | 'any'>
  /**
   * Returns as many segments as it receives, in order. The caller checks whether the masks came back.
   * @param pair one of its own
   * @throws ProblemError on failure; none is charged
   */
  translate(segments: readonly Pieces[], pair: LanguagePair, signal: AbortSignal): Promise<readonly Pieces[]>
}
