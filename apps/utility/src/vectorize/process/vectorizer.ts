import { availableParallelism } from 'node:os'
import { startDeadline } from '@tollbook/flow/deadline'
import { createSemaphore } from '@tollbook/flow/semaphore'
import { ProblemError } from '@tollbook/http/problem'
import { acquire } from '@tollbook/http/request/acquire'
import { createEngineProcess, EngineExited, EngineRefused } from '@tollbook/workers/engine-process'
import type { VectorizeResult, VectorizeTask } from './task.ts'

/** Traces images, each in a process of its own. */
export type Vectorizer = {
  /**
   * @throws ProblemError `unavailable` if too many images are queued, `upstream_timeout` if one takes too
   * long, `cannot_be_served` if it cannot be read or takes too much memory; the signal's reason.
   */
  run(task: VectorizeTask, signal: AbortSignal): Promise<VectorizeResult>
}

export type VectorizerOptions = {
  /** Concurrent images; default one per core. */
  readonly processes?: number
  /** Maximum queued images; default 8. */
  readonly maxWaiting?: number
  /** Time after which a process is killed, ms; default 20,000. */
  readonly deadlineMs?: number
  /** Memory of a process in addition to its pixels, MB; default 512. */
  readonly heapMb?: number
  /** The module that the processes run. */
  readonly module?: URL
}

const DEFAULTS = { maxWaiting: 8, deadlineMs: 20_000, heapMb: 512 }
const CHILD = new URL('./vectorize-child.ts', import.meta.url)

/** Creates a vectorizer; no process runs until there is an image. */
export function createVectorizer(options: VectorizerOptions = {}): Vectorizer {
  const { maxWaiting, deadlineMs, heapMb } = { ...DEFAULTS, ...options }
  const module = options.module ?? CHILD
  const semaphore = createSemaphore({
    max: options.processes ?? availableParallelism(),
    maxWaiting,
    message: 'Too many images are queued.',
  })
  return {
    async run(task, caller) {
      const release = await acquire(semaphore, caller)
      const engine = createEngineProcess({ module, settings: null, isSandboxed: true, heapMb, stopMs: 0 })
      const { signal, clear } = startDeadline(deadlineMs, caller, toLate)
      try {
        // What the process's module returns.
        return (await engine.run(task, { signal })) as VectorizeResult
      } catch (error) {
        signal.throwIfAborted()
        throw toProblem(error)
      } finally {
        clear()
        engine.close()
        release()
      }
    },
  }
}

function toLate(): ProblemError {
  const detail = 'The image takes too long to trace: try fewer colours or a larger min_area_px.'
  return new ProblemError({ code: 'upstream_timeout', detail })
}

/** Any end but for want of memory is our bug. */
function toProblem(cause: unknown): unknown {
  const toError = (detail: string) => new ProblemError({ code: 'cannot_be_served', detail }, { cause })
  if (cause instanceof EngineRefused) return toError(`The image cannot be traced: ${cause.refusal}.`)
  const isOutOfMemory = cause instanceof EngineExited && cause.isOutOfMemory
  return isOutOfMemory ? toError('The image takes too much memory to trace.') : cause
}
