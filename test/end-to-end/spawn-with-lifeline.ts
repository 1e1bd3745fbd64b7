import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/**
 * Beside the program, and in its process group, waits for a word that it has ended; when the pipe breaks instead,
 * whoever held its other end is gone, and the program is killed. The program has the pid of this shell.
 */
const SCRIPT = 'exec 3<&0 </dev/null; (read -r over <&3 || kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&-'

/** A program whose output is read. */
export type BoundProgram = ChildProcessByStdio<null, Readable, Readable>

/**
 * Starts a program that lasts no longer than this process: it is killed also when this one is killed, and when it is
 * too busy to notice by itself.
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
  // Whoever kills the group of the program kills the shell beside it, which then reads nothing.
  lifeline.on('error', () => {})
  child.once('exit', () => lifeline.end('over\n'))
  return child as unknown as BoundProgram
}
