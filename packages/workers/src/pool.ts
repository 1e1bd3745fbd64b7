import { availableParallelism } from 'node:os'
import { startDeadline } from '@tollbook/flow/deadline'
import { createSemaphore } from '@tollbook/flow/semaphore'
import { ProblemError } from '@tollbook/http/problem'
import { acquire } from '@tollbook/http/request/acquire'
import { createEngineProcess, EngineExited, type EngineProcess } from './engine-process.ts'
import type { Job } from './job.ts'
import type { JobOrder } from './run-job.ts'

/**
 * Processes for work that would block the event loop: parsing, measuring and drawing untrusted input. They are
 * processes and not threads, because V8 ends the whole process if it runs out of memory in a thread at the wrong
 * moment: here it costs the one call.
 */
export type WorkerPool = {
  /**
   * Runs a job in a process.
   * @throws ProblemError `unavailable` if too many jobs wait, `upstream_timeout` if the deadline has passed,
   * `cannot_be_served` if it needs more memory than a process has; the signal's reason; EngineFailed with the
   * message of what the job throws.
   */
  run<Work extends (input: never) => unknown>(
    job: Job<Work>,
    input: Parameters<Work>[0],
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Work>>>
  waiting(): number
  /** Ends all processes; running jobs are rejected. */
  close(): Promise<void>
}

export type WorkerPoolOptions = {
  /** Default: one for each core. */
  readonly threads?: number
  /** Jobs that may wait; default 64. */
  readonly maxWaiting?: number
  /** Memory of one process's heap, MB; default 512. */
  readonly heapMb?: number
  /** Multiplies the deadlines of all jobs, for machines that do much else; default 1. */
  readonly deadlineScale?: number
}

const DEFAULTS = { maxWaiting: 64, heapMb: 512, deadlineScale: 1 }
const module = new URL('./run-job.ts', import.meta.url)

/** Creates a pool; a process starts when a job finds no idle one, and goes on to run others. */
export function createWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  const { maxWaiting, heapMb, deadlineScale } = { ...DEFAULTS, ...options }
  const max = options.threads ?? availableParallelism()
  const engines: EngineProcess[] = []
  /** The one used last, whose modules are loaded, is taken first. */
  const idle: EngineProcess[] = []
  let isClosed = false
  const closeAll = () => {
    isClosed = true
    for (const engine of engines) engine.close()
  }
  // Otherwise a job without an end would outlive this process.
  process.once('exit', closeAll)
  const semaphore = createSemaphore({
    max,
    maxWaiting,
    // Jobs end within seconds: idle processes would cost more than waiting for a new one.
    maxPerOwner: max,
    message: 'Too many calls are waiting for a free worker.',
    retryAfterSeconds: 2,
  })

  function takeEngine(): EngineProcess {
    if (isClosed) throw new Error('the worker pool is closed')
    const known = idle.pop()
    if (known) return known
    // A job that does not end on request is killed at once.
    const engine = createEngineProcess({ module, settings: null, heapMb, stopMs: 0, retryMs: 0 })
    engines.push(engine)
    return engine
  }

  async function runIn(engine: EngineProcess, order: JobOrder, signal: AbortSignal): Promise<unknown> {
    try {
      return await engine.run(order, { signal })
    } catch (error) {
      // The next job should not wait for the start of the process that replaces a killed one; its failure is the next job's.
      if (!isClosed && (signal.aborted || error instanceof EngineExited)) engine.load().catch(() => {})
      throw error
    } finally {
      idle.push(engine)
    }
  }

  return {
    async run<Work extends (input: never) => unknown>(
      job: Job<Work>,
      input: Parameters<Work>[0],
      caller: AbortSignal,
    ): Promise<Awaited<ReturnType<Work>>> {
      const { signal, clear } = startDeadline(job.deadlineMs * deadlineScale, caller, toLate)
      let release = () => {}
      try {
        release = await acquire(semaphore, signal)
        const done = await runIn(takeEngine(), { module: job.module, name: job.name, input }, signal)
        // What the job's function returns.
        return done as Awaited<ReturnType<Work>>
      } catch (error) {
        signal.throwIfAborted()
        throw !isClosed && error instanceof EngineExited && error.isOutOfMemory ? toTooBig(error) : error
      } finally {
        clear()
        release()
      }
    },
    waiting: () => semaphore.waiting(),
    async close() {
      process.off('exit', closeAll)
      closeAll()
    },
  }
}

function toLate(): ProblemError {
  return new ProblemError({ code: 'upstream_timeout', detail: 'The input takes too long to process.' })
}

function toTooBig(cause: EngineExited): ProblemError {
  const detail = 'The input takes too much memory to process.'
  return new ProblemError({ code: 'cannot_be_served', detail }, { cause })
}
