import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { acquire } from '../../catalogue/acquire.ts'
import { type Problem, ProblemError } from '../../catalogue/problem.ts'
import { createSemaphore } from '../../flow/semaphore.ts'

/** What installed programs are given of the surroundings: where programs are, and UTF-8; no secret of the process. */
export const PROGRAM_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C.UTF-8',
}

export type ProgramRun = {
  readonly program: string
  /** Never through a shell; what a caller wrote stands in `stdin`. */
  readonly args: readonly string[]
  readonly stdin?: string | Uint8Array
  /** Most bytes of standard output, after which the program is killed. */
  readonly maxBytes: number
  /** What is told then; default that what is made would be too long. */
  readonly tooMuch?: Problem
  /** After which it is killed, ms, without the time in which it waits for its turn. */
  readonly deadlineMs: number
}

/** Runs installed programs, a few at a time, fairly between payers. */
export type Programs = {
  /**
   * Gives what the program wrote, once it has ended with code 0.
   * @throws ProblemError `unavailable` when too many wait, `upstream_timeout` after the deadline, `tooMuch`
   * when it writes too much; the signal's reason; an Error when it fails.
   */
  run(order: ProgramRun, signal: AbortSignal): Promise<Uint8Array>
}

export type ProgramsOptions = {
  /** Default one for each core. */
  readonly processes?: number
  /** Default 16. */
  readonly maxWaiting?: number
}

/** Makes a pool; nothing runs until there is an order. */
export function createPrograms(options: ProgramsOptions = {}): Programs {
  const { processes = availableParallelism(), maxWaiting = 16 } = options
  const semaphore = createSemaphore({
    max: processes,
    maxWaiting,
    message: 'Too many calls wait for a free engine.',
  })
  return {
    async run(order, signal) {
      const release = await acquire(semaphore, signal)
      try {
        return await runNow(order, signal)
      } finally {
        release()
      }
    },
  }
}

async function runNow(order: ProgramRun, signal: AbortSignal): Promise<Uint8Array> {
  const { program, args, stdin, maxBytes, deadlineMs } = order
  signal.throwIfAborted()
  const deadline = AbortSignal.timeout(deadlineMs)
  const excess = new AbortController()
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: PROGRAM_ENVIRONMENT,
    signal: AbortSignal.any([signal, deadline, excess.signal]),
    killSignal: 'SIGKILL',
  })
  const blocks: Uint8Array[] = []
  let sizeBytes = 0
  child.stdout.on('data', (block: Uint8Array) => {
    sizeBytes += block.byteLength
    if (sizeBytes > maxBytes) excess.abort()
    else blocks.push(block)
  })
  // A program may end before it has read all; its code tells how that went.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', reject)
  child.on('close', resolve)
  let code: number | null
  try {
    code = await promise
  } catch (error) {
    signal.throwIfAborted()
    if (deadline.aborted) throw new ProblemError(TOO_LONG)
    if (excess.signal.aborted) throw new ProblemError(order.tooMuch ?? TOO_MUCH)
    throw error
  }
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
  return Buffer.concat(blocks)
}

const TOO_LONG = {
  code: 'upstream_timeout',
  detail: 'The engine took too long for what was given.',
} as const

const TOO_MUCH = {
  code: 'cannot_be_served',
  detail: 'What the engine makes of this is too long.',
} as const

/** Whether a program is installed; it is started without arguments, and must then end of itself. */
export async function runsHere(program: string): Promise<boolean> {
  const child = spawn(program, [], { stdio: 'ignore', env: PROGRAM_ENVIRONMENT, timeout: 10_000 })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.on('error', () => resolve(false))
  child.on('close', () => resolve(true))
  return await promise
}
