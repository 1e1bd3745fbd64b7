import { spawn } from 'node:child_process'
import { inspect } from 'node:util'
import type { Logger } from 'pino'
import { EX_SOFTWARE } from './run-process.ts'

/** A native library may never return from its exit handlers; the process is killed after this time. */
const MAX_EXIT_SECONDS = 5
/** The error may be of a handler, in which `guard-exit.ts` refuses to exit. */
const exit = process.exit.bind(process)

/**
 * Ends the process with 70 when an error reaches no handler, after logging it as `fatal` with its stack. The state
 * of the program is unknown then, so nothing is closed in order: open paid calls are left to the recovery of the
 * next start, and the local chain is saved by its own process.
 * @param isElsewhere whether the log is not standard error, where the supervisor looks
 */
export function endOnUncaught(logger: Logger, isElsewhere: boolean): void {
  // Node raises a rejection that nobody handles as the same event.
  process.once('uncaughtException', (error: unknown, origin) => {
    // A further error on the way out changes nothing.
    process.on('uncaughtException', () => {})
    try {
      if (isElsewhere) process.stderr.write(`tollbook: no handler caught ${inspect(error)}\n`)
      logger.fatal({ err: error, origin }, 'an error that no handler caught ends the process')
    } finally {
      endAtOnce()
    }
  })
}

/** Exits with 70 without closing anything in order. */
export function endAtOnce(): void {
  killLater(process.pid)
  try {
    exit(EX_SOFTWARE)
  } catch {
    // A listener of `exit` threw; they are not called again.
    exit(EX_SOFTWARE)
  }
}

/** From outside, since no code of a process runs while its exit hangs. */
function killLater(pid: number): void {
  const words = ['-c', `sleep ${MAX_EXIT_SECONDS}; kill -KILL ${pid}`]
  // Without `sh` there is no bound.
  spawn('/bin/sh', words, { detached: true, stdio: 'ignore' }).on('error', () => {})
}
