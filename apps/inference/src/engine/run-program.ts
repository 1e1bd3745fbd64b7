import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createSemaphore } from '@tollbook/flow/semaphore'
import { type Problem, ProblemError } from '@tollbook/http/problem'
import { acquire } from '@tollbook/http/request/acquire'
import { type FindCommand, findCommand, PROGRAM_ENVIRONMENT } from './find-command.ts'

export type ProgramRun = {
  readonly program: string
  /** Never through a shell; untrusted input goes to `stdin`. */
  readonly args: readonly string[]
  readonly stdin?: string | Uint8Array
  /** Max bytes of standard output; beyond them the program is killed. */
  readonly maxBytes: number
  /** The problem in that case; by default that the output would be too long. */
  readonly tooMuch?: Problem
  /** Timeout in ms after which it is killed, excluding the time in the queue. */
  readonly deadlineMs: number
}

/** Runs installed programs, a few at a time, fairly between payers. */
export type Programs = {
  /**
   * Returns the program's output when it has exited with code 0.
   * @throws ProblemError `unavailable` when too many wait, `upstream_timeout` after the deadline, `tooMuch`
   * when it writes too much; the signal's reason; an Error when it fails.
   */
  run(order: ProgramRun, signal: AbortSignal): Promise<Uint8Array>
}

export type ProgramsOptions = {
  /** Default one per core. */
  readonly processes?: number
  /** Default 16. */
  readonly maxWaiting?: number
  /** Default: the installed program, else the one among the packages. */
  readonly find?: FindCommand
}

/** Creates a pool; nothing runs before the first order. */
export function createPrograms(options: ProgramsOptions = {}): Programs {
  const { processes = availableParallelism(), maxWaiting = 16, find = findCommand } = options
  const semaphore = createSemaphore({
    max: processes,
    maxWaiting,
    message: 'Too many calls are waiting for a free engine.',
  })
  return {
    async run(order, signal) {
      const release = await acquire(semaphore, signal)
      try {
        return await runNow(order, signal, find)
      } finally {
        release()
      }
    },
  }
}

async function runNow(order: ProgramRun, signal: AbortSignal, find: FindCommand): Promise<Uint8Array> {
  const { program, stdin, maxBytes, deadlineMs } = order
  const { file, args } = find(program, order.args)
  signal.throwIfAborted()
  const deadline = AbortSignal.timeout(deadlineMs)
  const excess = new AbortController()
  const child = spawn(file, args, {
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
  // A program may exit before it has read all its input; its exit code shows whether it succeeded.
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
  detail: 'The engine took too long for this input.',
} as const

const TOO_MUCH = {
  code: 'cannot_be_served',
  detail: "The engine's output for this input is too long.",
} as const

/** Whether a program is installed; it is started without arguments, and must then exit by itself. */
export async function runsHere(program: string): Promise<boolean> {
  const child = spawn(program, [], { stdio: 'ignore', env: PROGRAM_ENVIRONMENT, timeout: 10_000 })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.on('error', () => resolve(false))
  child.on('close', () => resolve(true))
  return await promise
}
