import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { askUpstreamJson } from '@tollbook/upstream/ask-upstream'
import { createUpstreamBreaker } from '@tollbook/upstream/upstream-breaker'
import * as z from 'zod'
import type { LanguageNames } from '../language/language-names.ts'
import { choosePair, type LanguagePair } from '../language/language-pair.ts'
import type { TranslationBackend } from '../translation-backend.ts'
import { fromHtml, SPANS, toHtml } from './html-masks.ts'

const NAME = 'translation upstream'
const TIMEOUT_MS = 45_000
/** The languages change with the upstream's version. */
const PAIRS_LIVE_MS = 3_600_000
/** Pause before the languages are requested again in the background after a failure. */
const RETRY_MS = 60_000

/** https://docs.libretranslate.com/api/operations/languages/ and /translate/ */
const languagesSchema = z.array(z.object({ code: z.string(), targets: z.array(z.string()).default([]) }))
const translatedSchema = z.object({ translatedText: z.array(z.string()) })

type Options = {
  readonly url: string
  /** Fetches from the upstream, which may be in a private network. */
  readonly fetch: SafeFetch
  readonly key?: string | undefined
  readonly names: LanguageNames
  readonly nowMs?: () => number
}

/** A pair with the upstream's own codes. */
type OwnPair = LanguagePair & { readonly from: string; readonly to: string }

/** Translates through a LibreTranslate instance, as HTML, with masks marked as not to be translated. */
export function createLibretranslate(options: Options): TranslationBackend {
  const { url, fetch, key, names, nowMs = () => performance.now() } = options
  const breaker = createUpstreamBreaker(NAME)
  let pairs: readonly OwnPair[] | null = null
  let loadedMs = Number.NEGATIVE_INFINITY
  let triedMs = Number.NEGATIVE_INFINITY

  const toPairs = (languages: z.output<typeof languagesSchema>): OwnPair[] => {
    const codeOf = (own: string) => names.find(own)?.code ?? ''
    return languages
      .flatMap(({ code: from, targets }) =>
        targets.map((to) => ({ from, to, source: codeOf(from), target: codeOf(to) })),
      )
      .filter(({ source, target }) => source !== '' && target !== '' && source !== target)
  }
  const load = async (signal: AbortSignal): Promise<readonly OwnPair[]> => {
    if (pairs && nowMs() - loadedMs < PAIRS_LIVE_MS) return pairs
    triedMs = nowMs()
    const request = {
      method: 'GET' as const,
      url: `${url}/languages`,
      name: NAME,
      maxBytes: 2_000_000,
      timeoutMs: 10_000,
      schema: languagesSchema,
      expected: 'languages',
    }
    pairs = toPairs(await breaker.run(() => askUpstreamJson(fetch, request, signal), signal))
    loadedMs = nowMs()
    return pairs
  }
  return {
    provider: 'libretranslate',
    pauseSeconds: breaker.pauseSeconds,
    knownPairs() {
      if (!pairs && nowMs() - triedMs > RETRY_MS) {
        // Loaded for the next caller; a failure shows in the next translation.
        load(AbortSignal.timeout(10_000)).catch(() => {})
      }
      return pairs
    },
    loadPairs: load,
    async translate(segments, pair, signal) {
      const own = choosePair(await load(signal), pair)
      const body = JSON.stringify({
        q: segments.map((pieces) => toHtml(pieces, SPANS)),
        source: own?.from ?? pair.source,
        target: own?.to ?? pair.target,
        format: 'html',
        ...(key !== undefined && { api_key: key }),
      })
      const request = {
        method: 'POST' as const,
        url: `${url}/translate`,
        name: NAME,
        body,
        headers: { 'content-type': 'application/json' },
        maxBytes: 2_000_000,
        timeoutMs: TIMEOUT_MS,
        expected: 'translations',
        schema: translatedSchema.refine(({ translatedText }) => translatedText.length === segments.length),
      }
      const answer = await breaker.run(() => askUpstreamJson(fetch, request, signal), signal)
      return answer.translatedText.map((text) => fromHtml(text, SPANS))
    },
  }
}
