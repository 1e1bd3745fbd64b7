import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createSemaphore } from '../../../flow/semaphore.ts'
import { ProblemError } from '../../../http/problem.ts'
import { acquire } from '../../../http/request/acquire.ts'
import { isOutOfMemory } from '../../../workers/engine-process.ts'
import { kill, toSandboxed } from '../../../workers/sandbox.ts'
import type { VectorizeReply, VectorizeResult, VectorizeTask } from './task.ts'

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
  const processes = options.processes ?? availableParallelism()
  const module = options.module ?? CHILD
  const semaphore = createSemaphore({
    max: processes,
    maxWaiting,
    message: 'Too many images are queued.',
  })
  return {
    async run(task, signal) {
      const release = await acquire(semaphore, signal)
      try {
        return await runInProcess(start(module, heapMb), task, { signal, deadlineMs })
      } finally {
        release()
      }
    },
  }
}

function start(module: URL, heapMb: number): ChildProcess {
  return fork(module, {
    ...toSandboxed(module, [`--max-old-space-size=${heapMb}`, '--disable-warning=ExperimentalWarning']),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

function runInProcess(
  child: ChildProcess,
  task: VectorizeTask,
  { signal, deadlineMs }: { readonly signal: AbortSignal; readonly deadlineMs: number },
): Promise<VectorizeResult> {
  return new Promise<VectorizeResult>((resolve, reject) => {
    const timer = setTimeout(() => give(() => reject(new ProblemError(TOO_LONG))), deadlineMs)
    const leave = () => give(() => reject(signal.reason))
    let isGiven = false
    const give = (settle: () => void) => {
      if (isGiven) return
      isGiven = true
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      kill(child)
      settle()
    }
    signal.addEventListener('abort', leave, { once: true })
    child.once('message', (reply: VectorizeReply) => {
      if ('result' in reply) give(() => resolve(reply.result))
      else give(() => reject('refusal' in reply ? refuse(reply.refusal) : new Error(reply.failure)))
    })
    child.on('error', (error) => give(() => reject(error)))
    child.once('exit', (code, name) => give(() => reject(died(code, name))))
    child.send(task, (error) => {
      // A process that has already gone reports its exit.
      if (error) kill(child)
    })
  })
}

const TOO_LONG = {
  code: 'upstream_timeout',
  detail: 'The image takes too long to trace: try fewer colours or a larger min_area_px.',
} as const

function refuse(reason: string): ProblemError {
  return new ProblemError({
    code: 'cannot_be_served',
    detail: `The image cannot be traced: ${reason}.`,
  })
}

/** Any end but for want of memory is our bug. */
function died(code: number | null, signal: string | null): Error {
  if (!isOutOfMemory({ code, signal }))
    return new Error(`the process of an image ended with ${code ?? signal}`)
  return new ProblemError({
    code: 'cannot_be_served',
    detail: 'The image takes too much memory to trace.',
  })
}
