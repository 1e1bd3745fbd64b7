import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'runs.log'

/** Opens the log in which sellers record every run of a handler, one line each. */
export function openRunLog(folder: string): { append(call: string, run: string): void } {
  const file = openSync(join(folder, FILE), 'a')
  return {
    append(call, run) {
      // A single write, so that sellers of one folder never mix their lines; on disk before the handler
      // continues.
      writeSync(file, `${call} ${run}\n`)
      fsyncSync(file)
    },
  }
}

/** Creates an empty log. */
export function createRunLog(folder: string): void {
  closeSync(openSync(join(folder, FILE), 'a'))
}

/** The names of the runs of each call, in order. */
export function readRunLog(folder: string): ReadonlyMap<string, readonly string[]> {
  const runs = new Map<string, string[]>()
  for (const line of readFileSync(join(folder, FILE), 'utf8').split('\n')) {
    const [call, run] = line.split(' ')
    if (call === undefined || run === undefined) continue
    const known = runs.get(call)
    if (known) known.push(run)
    else runs.set(call, [run])
  }
  return runs
}
