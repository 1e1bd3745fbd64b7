import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { acquire } from '../catalogue/acquire.ts'
import { createSemaphore } from '../flow/semaphore.ts'
import { ProblemError } from '../http/problem.ts'
import type { Job } from './job.ts'

/**
 * Threads for work that would block the event loop: parsing, measuring and drawing untrusted input. If a job
 * crashes its thread, the process continues.
 */
export type WorkerPool = {
  /**
   * Runs a job in a thread.
   * @throws ProblemError `unavailable` if too many jobs wait, `upstream_timeout` if the deadline has passed,
   * `cannot_be_served` if it needs more memory than a thread has; the signal's reason; what the job throws.
   */
  run<Work extends (input: never) => unknown>(
    job: Job<Work>,
    input: Parameters<Work>[0],
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Work>>>
  waiting(): number
  /** Ends all threads; running jobs are rejected. */
  close(): Promise<void>
}

export type WorkerPoolOptions = {
  /** Default: one for each core. */
  readonly threads?: number
  /** Jobs that may wait; default 64. */
  readonly maxWaiting?: number
  /** Memory of one thread, MB; default 512. */
  readonly heapMb?: number
  /** Niceness of the threads relative to the event loop, 0 to 19 (sched(7)); default 0. */
  readonly niceness?: number
  /** Multiplies the deadlines of all jobs, for machines that do much else; default 1. */
  readonly deadlineScale?: number
}

const DEFAULTS = { maxWaiting: 64, heapMb: 512, niceness: 0, deadlineScale: 1 }

/** For a service: a thread with this niceness has a tenth of the weight of others, and the loop stays below 20 ms. */
export const BEHIND_THE_LOOP = 10

/** Creates a pool; its threads start with the first job. */
export function createWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  const { maxWaiting, heapMb, niceness, deadlineScale } = { ...DEFAULTS, ...options }
  const threads = options.threads ?? availableParallelism()
  let piscina: Piscina | undefined
  const start = () => {
    const started = new Piscina({
      // With fewer, piscina does not replace a killed thread while jobs wait.
      minThreads: threads,
      maxThreads: threads,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      // The event loop serves all other callers, so it gets a core before the threads do.
      niceIncrement: niceness,
      // A thread that piscina puts to sleep in `Atomics.wait` may miss its termination (V8 wakes it only if
      // the message arrives while it sleeps): it then keeps its memory, and the process, forever. A thread
      // that waits in its event loop notices.
      atomics: 'disabled',
      // A thread needs no secrets of the process.
      env: {},
    })
    // A thread that dies after its job was cancelled; without a listener the process would end.
    started.on('error', () => {})
    return started
  }
  const semaphore = createSemaphore({
    max: threads,
    maxWaiting,
    // Jobs end within seconds: idle threads would cost more than waiting for a new one.
    maxPerOwner: threads,
    message: 'Too many calls are waiting for a free worker.',
    retryAfterSeconds: 2,
  })
  return {
    async run(job, input, signal) {
      const deadline = AbortSignal.timeout(job.deadlineMs * deadlineScale)
      const either = AbortSignal.any([signal, deadline])
      let release = () => {}
      try {
        release = await acquire(semaphore, either)
        piscina ??= start()
        return await piscina.run(input, { filename: job.module, name: job.name, signal: either })
      } catch (error) {
        signal.throwIfAborted()
        throw deadline.aborted ? new ProblemError(TOO_LONG) : explain(error)
      } finally {
        release()
      }
    },
    waiting: () => semaphore.waiting(),
    close: async () => piscina?.destroy(),
  }
}

const TOO_LONG = {
  code: 'upstream_timeout',
  detail: 'The input takes too long to process.',
} as const

function explain(error: unknown): unknown {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  if (!isMemory) return error
  const detail = 'The input takes too much memory to process.'
  return new ProblemError({ code: 'cannot_be_served', detail }, { cause: error })
}
