import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/**
 * Next to the program, in its process group, waits for a message that the program has ended; if the pipe
 * breaks instead, the process at the other end has died, and the program is killed. The program has the pid
 * of this shell.
 */
const SCRIPT = 'exec 3<&0 </dev/null; (read -r over <&3 || kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&-'

/** A program whose output is read. */
export type BoundProgram = ChildProcessByStdio<null, Readable, Readable>

/**
 * Starts a program that does not outlive this process: it is killed even if this process is killed, and even
 * if it is too busy to notice by itself.
 */
export function spawnWithLifeline(
  [program, ...words]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
): BoundProgram {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', program, ...words], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const { stdin: lifeline } = child
  // Killing the program's group also kills the shell next to it, which then reads nothing.
  lifeline.on('error', () => {})
  child.once('exit', () => lifeline.end('over\n'))
  return child as unknown as BoundProgram
}
