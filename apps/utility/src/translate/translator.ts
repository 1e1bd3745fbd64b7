import { type Problem, ProblemError } from '@tollbook/http/problem'
import type { Part, Segment } from './document/segment.ts'
import type { DetectedLanguages } from './language/detect-language.ts'
import type { Language, LanguageNames } from './language/language-names.ts'
import { choosePair, isForm, type LanguagePair } from './language/language-pair.ts'
import { translateSegments } from './translate-segments.ts'
import type { Provider, TranslationBackend } from './translation-backend.ts'

type Pairs = readonly LanguagePair[] | 'any'

/** The parts of a document to translate, and the language pair. */
export type TranslationOrder = {
  readonly parts: readonly Part[]
  readonly isMarkdown: boolean
  readonly source: Language
  readonly target: Language
}

/** Translates with the operator's backends, in order. */
export type Translator = {
  readonly names: LanguageNames
  /** In the order in which they are used. */
  readonly providers: readonly Provider[]
  readonly isReady: () => boolean
  /** How long all circuit breakers stay open, ms; 0 while one is closed. */
  readonly pauseSeconds: () => number
  /**
   * Why a pair is not available, as far as it is known without waiting; null for a source that is yet to be
   * detected.
   */
  readonly findUnsupported: (source: Language | null, target: Language) => Problem | null
  /** @throws ProblemError if the language cannot be detected, or is the target */
  readonly chooseSource: (
    detected: DetectedLanguages,
    target: Language,
    signal: AbortSignal,
  ) => Promise<{ readonly source: Language; readonly confidence: number }>
  /**
   * @throws ProblemError of the first backend that failed if none translates; `cannot_be_served` for an
   * unsupported pair
   */
  readonly translate: (
    order: TranslationOrder,
    signal: AbortSignal,
  ) => Promise<{ readonly parts: readonly string[]; readonly provider: Provider }>
}

/** Scores this close to the best one are a tie. */
const NEAR = 0.9
/** Pairs listed in the message; the member `pairs` has all. */
const MAX_LISTED = 30

export function createTranslator(backends: readonly TranslationBackend[], names: LanguageNames): Translator {
  const loadAll = (signal: AbortSignal) =>
    Promise.all(
      backends.map(async (backend) => ({
        backend,
        pairs: await backend.loadPairs(signal).catch((error: unknown) => {
          signal.throwIfAborted()
          if (error instanceof ProblemError) return error
          throw error
        }),
      })),
    )
  return {
    names,
    providers: backends.map(({ provider }) => provider),
    isReady: () => backends.length > 0,
    pauseSeconds: () => (backends.length > 0 ? Math.min(...backends.map((one) => one.pauseSeconds())) : 0),
    findUnsupported(source, target) {
      const known = backends.map((backend) => backend.knownPairs())
      const all = known.flatMap((pairs) => (pairs === null || pairs === 'any' ? [] : pairs))
      if (known.some((pairs) => pairs === null || pairs === 'any' || canTranslate(pairs, source, target)))
        return null
      return unsupported(source, target, all)
    },
    async chooseSource({ scores, isReliable }, target, signal) {
      const [best] = scores
      if (!best) throw new ProblemError(UNKNOWN_SOURCE)
      const all = (await loadAll(signal)).flatMap(({ pairs }) =>
        pairs instanceof ProblemError ? [] : [pairs],
      )
      const isServed = (source: Language) => all.some((pairs) => canTranslate(pairs, source, target))
      const candidates = (
        isReliable ? [best] : scores.filter(([, score]) => score >= NEAR * best[1])
      ).flatMap(([code, confidence]) => {
        const source = names.find(code)
        return source ? { source, confidence } : []
      })
      const others = candidates.filter(({ source }) => !isForm(source.code, target.code))
      const chosen = others.find(({ source }) => isServed(source)) ?? (isReliable ? others[0] : undefined)
      if (chosen) return chosen
      if (others.length > 0) throw new ProblemError(UNKNOWN_SOURCE)
      const detail = `The text seems to be in ${target.name} already; if it is not, set its language in source.`
      throw new ProblemError({ code: 'cannot_be_served', detail })
    },
    async translate({ parts, source, target, isMarkdown }, signal) {
      const segments = parts.filter((part): part is Segment => typeof part !== 'string')
      const loaded = await loadAll(signal)
      const failures = loaded.flatMap(({ pairs }) => (pairs instanceof ProblemError ? pairs : []))
      for (const { backend, pairs } of loaded) {
        if (pairs instanceof ProblemError) continue
        const wanted = { source: source.code, target: target.code }
        const pair = pairs === 'any' ? wanted : choosePair(pairs, wanted)
        if (!pair) continue
        try {
          const texts = await translateSegments(backend, segments, { pair, isMarkdown, signal })
          const translated = texts.values()
          return {
            parts: parts.map((part) => (typeof part === 'string' ? part : (translated.next().value ?? ''))),
            provider: backend.provider,
          }
        } catch (error) {
          signal.throwIfAborted()
          if (!(error instanceof ProblemError)) throw error
          failures.push(error)
        }
      }
      const all = loaded.flatMap(({ pairs }) => (Array.isArray(pairs) ? (pairs as LanguagePair[]) : []))
      throw failures[0] ?? new ProblemError(unsupported(source, target, all))
    },
  }
}

function canTranslate(pairs: Pairs, source: Language | null, target: Language): boolean {
  if (pairs === 'any') return true
  if (source) return choosePair(pairs, { source: source.code, target: target.code }) !== null
  return pairs.some((pair) => isForm(pair.target, target.code))
}

function unsupported(source: Language | null, target: Language, pairs: readonly LanguagePair[]): Problem {
  const listed = [...new Set(pairs.map((pair) => `${pair.source} to ${pair.target}`))].sort()
  const more = listed.length > MAX_LISTED ? ` and ${listed.length - MAX_LISTED} more` : ''
  const from = source ? `from ${source.name} ` : ''
  return {
    code: 'cannot_be_served',
    detail: `No backend translates ${from}to ${target.name}. The pairs are ${listed.slice(0, MAX_LISTED).join(', ')}${more}.`,
    members: { pairs: pairs.map(({ source, target }) => ({ source, target })) },
  }
}

const UNKNOWN_SOURCE: Problem = {
  code: 'cannot_be_served',
  detail: 'The language of the text cannot be detected: set it in source.',
}
