import { type ChildProcess, spawn } from 'node:child_process'
import { ProblemError } from '../../../http/problem.ts'

/** 8,000 characters take some two seconds of a core. */
const DEADLINE_MS = 20_000
const MAX_OUTPUT_BYTES = 1_000_000

/** Where Debian and others install it; the process gets nothing else of this environment. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }

/** The shell's exit status if a program is missing. */
const COMMAND_NOT_FOUND = 127

/** The program is missing. */
export class NotInstalled extends Error {
  override name = 'NotInstalled'
}

type Options = { readonly input?: string; readonly signal: AbortSignal; readonly deadlineMs?: number }

/**
 * Runs `apertium`, which is a pipe of programs, and returns its output. All of them are killed at the
 * deadline and when the caller disconnects.
 * @throws NotInstalled, ProblemError `upstream_timeout` or `upstream_failed`, the signal's reason
 */
export async function runApertium(flags: readonly string[], options: Options): Promise<string> {
  const { input = '', signal, deadlineMs = DEADLINE_MS } = options
  signal.throwIfAborted()
  const deadline = AbortSignal.timeout(deadlineMs)
  // A process group of its own, so that the whole pipe can be killed. It opens its input by path, which
  // sockets do not support.
  const child = spawn('/bin/sh', ['-c', 'cat | apertium "$@"', 'sh', ...flags], {
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const kill = () => killGroup(child)
  signal.addEventListener('abort', kill, { once: true })
  deadline.addEventListener('abort', kill, { once: true })
  try {
    return await collect(child, input)
  } catch (error) {
    signal.throwIfAborted()
    if (!deadline.aborted) throw error
    const detail = 'The translation took too long.'
    throw new ProblemError({ code: 'upstream_timeout', detail }, { cause: error })
  } finally {
    signal.removeEventListener('abort', kill)
    deadline.removeEventListener('abort', kill)
    kill()
  }
}

function collect(child: ChildProcess, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_OUTPUT_BYTES) killGroup(child)
    })
    child.on('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString())
      else if (code === COMMAND_NOT_FOUND) reject(new NotInstalled('apertium is not installed'))
      else reject(new ProblemError({ code: 'upstream_failed', detail: 'Apertium failed.' }))
    })
    // A broken pipe shows in the exit status of the program.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
