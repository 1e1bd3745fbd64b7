import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { acquire } from '../catalogue/acquire.ts'
import { ProblemError } from '../catalogue/problem.ts'
import { createSemaphore } from '../flow/semaphore.ts'
import type { Job } from './job.ts'

/**
 * Threads for work that would hold the event loop up: parsing, measuring and drawing what strangers send.
 * Whatever a job does to its thread, the process goes on.
 */
export type WorkerPool = {
  /**
   * Runs a job in a thread.
   * @throws ProblemError `unavailable` when too many jobs wait, `upstream_timeout` when the deadline has passed,
   * `cannot_be_served` when it needs more memory than a thread has; the signal's reason; what the job throws.
   */
  run<Work extends (input: never) => unknown>(
    job: Job<Work>,
    input: Parameters<Work>[0],
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Work>>>
  /** Ends all threads; running jobs are rejected. */
  close(): Promise<void>
}

export type WorkerPoolOptions = {
  /** Default: one for each core. */
  readonly threads?: number
  /** Jobs that may wait; default 64. */
  readonly maxWaiting?: number
  /** Of one thread, MB; default 512. */
  readonly heapMb?: number
  /** Steps by which threads stand behind the event loop where both want a core, 0 to 19 (sched(7)); default 0. */
  readonly niceness?: number
}

const DEFAULTS = { maxWaiting: 64, heapMb: 512, niceness: 0 }

/** For a service: a thread so low has a tenth of the weight of others, and the loop stays below 20 ms. */
export const BEHIND_THE_LOOP = 10

/** Makes a pool; its threads start with the first job. */
export function createWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  const { maxWaiting, heapMb, niceness } = { ...DEFAULTS, ...options }
  const threads = options.threads ?? availableParallelism()
  let piscina: Piscina | undefined
  const start = () =>
    new Piscina({
      // With fewer, piscina starts no thread for waiting jobs in the place of one that was killed.
      minThreads: threads,
      maxThreads: threads,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      // The event loop answers everyone else, so it gets a core before the threads do.
      niceIncrement: niceness,
      // A thread that piscina lets sleep in `Atomics.wait` may miss that it is terminated (V8 wakes it only if the word
      // comes while it sleeps): it then keeps its memory, and the process, for ever. One that waits in its event loop
      // hears it.
      atomics: 'disabled',
      // A thread needs no secret of the process.
      env: {},
    })
  const semaphore = createSemaphore({
    max: threads,
    maxWaiting,
    // Jobs end within seconds: threads that stand still would cost more than a wait for one of them.
    maxPerOwner: threads,
    message: 'Too many calls wait for a free worker.',
    retryAfterSeconds: 2,
  })
  return {
    async run(job, input, signal) {
      const deadline = AbortSignal.timeout(job.deadlineMs)
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
    close: async () => piscina?.destroy(),
  }
}

const TOO_LONG = {
  code: 'upstream_timeout',
  detail: 'What was given takes too long to work through.',
} as const

function explain(error: unknown): unknown {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  if (!isMemory) return error
  const detail = 'What was given takes too much memory to work through.'
  return new ProblemError({ code: 'cannot_be_served', detail }, { cause: error })
}
