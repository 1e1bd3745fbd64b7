import { availableParallelism, cpus, loadavg } from 'node:os'

/**
 * How and where figures were measured; the first line of an output, so that each output is self-contained.
 */
export type Run = {
  /** The command as typed, without paths. */
  readonly command: string
  readonly machine: string
  readonly node: string
  /** UTC day. */
  readonly date: string
  /** Load average of the last minute when the run began; other work makes figures worse. */
  readonly load: number
}

/**
 * Prints the run as a JSON line on standard output, and in human-readable form on standard error.
 * @param script name for `npm run`
 */
export function printRun(script: string, words: readonly string[] = process.argv.slice(2)): void {
  const run: Run = {
    command: `npm run ${script}${words.length > 0 ? ` -- ${words.map(withoutFolder).join(' ')}` : ''}`,
    machine: `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  }
  process.stdout.write(`${JSON.stringify({ run })}\n`)
  process.stderr.write(`node ${run.node}, ${run.machine}, load ${run.load}\n`)
}

/** Paths of the machine are private and do not belong in a published output. */
function withoutFolder(word: string): string {
  return word.includes('/') ? '<folder>' : word
}
