import { createSemaphore } from '@tollbook/flow/semaphore'
import { ProblemError } from '@tollbook/http/problem'
import { acquire } from '@tollbook/http/request/acquire'
import { createEngineProcess, EngineFailed } from '@tollbook/workers/engine-process'
import type { BergamotModel, BergamotOrder, BergamotResult, BergamotSettings } from '../bergamot/orders.ts'
import { choosePair, type LanguagePair } from '../language/language-pair.ts'
import type { TranslationBackend } from '../translation-backend.ts'
import { fromHtml, IMAGES, toHtml } from './html-masks.ts'

type OwnPair = LanguagePair & Pick<BergamotOrder, 'steps'>

/** Chosen: 8,000 characters, the maximum of a call, take less through two models on a slow core. */
const DEADLINE_MS = 60_000
const MAX_WAITING = 16
/** Models to and from this language also translate between the others. */
const PIVOT = 'en'

/**
 * Translates with models of Firefox Translations (https://github.com/browsermt/bergamot-translator), in a process
 * of its own, which starts with the first translation. Null without a model.
 */
export function openBergamot(models: readonly BergamotModel[]): TranslationBackend | null {
  if (models.length === 0) return null
  const pairs = toPairs(models)
  const engine = createEngineProcess({
    module: new URL('../bergamot/bergamot-engine.ts', import.meta.url),
    settings: { models } satisfies BergamotSettings,
    // It does not stop while it works.
    stopMs: 0,
  })
  const semaphore = createSemaphore({
    max: 1,
    maxWaiting: MAX_WAITING,
    message: 'Too many translations are queued.',
  })
  return {
    provider: 'bergamot',
    pauseSeconds: () => 0,
    knownPairs: () => pairs,
    loadPairs: async () => pairs,
    async translate(segments, pair, signal) {
      const own = choosePair(pairs, pair)
      if (!own) throw new Error('unreachable: only known pairs are translated')
      const order: BergamotOrder = {
        steps: own.steps,
        texts: segments.map((pieces) => toHtml(pieces, IMAGES)),
      }
      const release = await acquire(semaphore, signal)
      const late = AbortSignal.timeout(DEADLINE_MS)
      try {
        // What the process's module returns.
        const texts = (await engine.run(order, {
          signal: AbortSignal.any([signal, late]),
        })) as BergamotResult
        return texts.map((text) => fromHtml(text, IMAGES))
      } catch (error) {
        signal.throwIfAborted()
        if (!late.aborted && !(error instanceof EngineFailed)) throw error
        // After an error in WebAssembly its memory is not to be trusted.
        engine.close()
        const detail = 'The translation model failed on this text.'
        throw new ProblemError({ code: 'upstream_failed', detail }, { cause: error })
      } finally {
        release()
      }
    },
  }
}

/** The pairs of the models, then those through English. */
function toPairs(models: readonly BergamotModel[]): readonly OwnPair[] {
  const direct = models.map(({ source, target }, at): OwnPair => ({ source, target, steps: [at] }))
  const pivoted = direct.flatMap(({ source, target, steps: [first] }) =>
    direct
      .filter((next) => target === PIVOT && next.source === PIVOT && next.target !== source)
      .map((next): OwnPair => ({ source, target: next.target, steps: [first, next.steps[0]] })),
  )
  const isNew = (pair: OwnPair) =>
    !direct.some(({ source, target }) => source === pair.source && target === pair.target)
  return [...direct, ...pivoted.filter(isNew)]
}
