import { availableParallelism, cpus, loadavg } from 'node:os'

/** What figures were measured by; the first line of an output, so that it can be read alone. */
export type Run = {
  /** As typed, without paths. */
  readonly command: string
  readonly machine: string
  readonly node: string
  /** UTC day. */
  readonly date: string
  /** Load of the last minute as the run began: other work makes figures worse. */
  readonly load: number
}

/**
 * Prints the run as a JSON line on standard output, and for people on standard error.
 * @param script as `npm run` names it
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

/** Where a machine keeps its files is nobody's business. */
function withoutFolder(word: string): string {
  return word.includes('/') ? '<folder>' : word
}
