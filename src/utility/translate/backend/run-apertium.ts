import { type ChildProcess, spawn } from 'node:child_process'
import { ProblemError } from '../../../catalogue/problem.ts'

/** 8,000 characters take some two seconds of a core. */
const DEADLINE_MS = 20_000
const MAX_OUTPUT_BYTES = 1_000_000

/** Where Debian and others put it; the process gets nothing else of this one's environment. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }

/** The shell's status for a program that is not there. */
const COMMAND_NOT_FOUND = 127

/** The program is not there. */
export class NotInstalled extends Error {
  override name = 'NotInstalled'
}

type Options = { readonly input?: string; readonly signal: AbortSignal; readonly deadlineMs?: number }

/**
 * Runs `apertium`, which is a pipe of programs, and gives what it writes. All of them are killed at the deadline and
 * when the caller leaves.
 * @throws NotInstalled, ProblemError `upstream_timeout` or `upstream_failed`, the signal's reason
 */
export async function runApertium(flags: readonly string[], options: Options): Promise<string> {
  const { input = '', signal, deadlineMs = DEADLINE_MS } = options
  signal.throwIfAborted()
  const deadline = AbortSignal.timeout(deadlineMs)
  // A group of its own, so that the whole pipe can be killed. It opens its input by name, as no socket can be.
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
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString())
      else if (code === COMMAND_NOT_FOUND) reject(new NotInstalled('apertium is not installed'))
      else reject(new ProblemError({ code: 'upstream_failed', detail: 'Apertium failed.' }))
    })
    // A pipe that broke says so by the program's end.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
