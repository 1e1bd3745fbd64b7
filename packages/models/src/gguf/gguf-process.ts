import { createSemaphore } from '@tollbook/flow/semaphore'
import { createEngineProcess, EngineRefused } from '@tollbook/workers/engine-process'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import type { GgufRefusal } from './orders.ts'

type Options = {
  readonly module: URL
  /** For the engine, plain data. */
  readonly settings: unknown
  readonly max: number
  /** Maximum number of calls that wait for a slot. */
  readonly maxWaiting: number
  readonly waitMs: number
}

/** How long a health check waits for the model to load: enough to read several gigabytes from a slow disk. */
const LOAD_TIMEOUT_MS = 60_000
/** Chosen: another answer gets some tokens further in this time, and may be finished. */
const RETRY_AFTER_SECONDS = 1

/** A process with a model in a .gguf file, and its queue. The first health check loads the model. */
export function createGgufProcess({ module, settings, max, maxWaiting, waitMs }: Options) {
  const engine = createEngineProcess({ module, settings })
  const semaphore = createSemaphore({ max, maxWaiting })
  let issue: string | null = 'the model is still loading'
  return {
    engine,
    /** @throws ModelBusy; the signal's reason */
    acquire: (signal: AbortSignal) =>
      semaphore.acquire(AbortSignal.any([signal, AbortSignal.timeout(waitMs)])).catch(() => {
        signal.throwIfAborted()
        throw new ModelBusy('too many answers are waiting', { retryAfterSeconds: RETRY_AFTER_SECONDS })
      }),
    explain: () => issue,
    async isAlive() {
      const loading = engine.load().then(
        () => {
          issue = null
          return true
        },
        (error: unknown) => {
          issue = error instanceof Error ? error.message : String(error)
          return false
        },
      )
      const timeout = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => timeout.resolve(false), LOAD_TIMEOUT_MS)
      return await Promise.race([loading, timeout.promise]).finally(() => clearTimeout(timer))
    },
  }
}

export function toFailure(error: unknown): unknown {
  if (error instanceof ModelBusy || error instanceof ModelRefused) return error
  if (!(error instanceof EngineRefused)) return new ModelFailed('the local model failed', { cause: error })
  // Thrown by the engine module.
  const { reason, isTooLong } = error.refusal as GgufRefusal
  return new ModelRefused(`the local model refused the request: ${reason}`, { isTooLong })
}
