import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** A process that runs, with the words that started it. */
export type RunningProcess = { readonly pid: number; readonly words: readonly string[] }

/** Only something that never happens takes longer. */
const PATIENCE_MS = 240_000

/** The processes that a process has started, directly or through others. */
export function descendantsOf(pid: number): readonly RunningProcess[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => {
    const words = read(`/proc/${child}/cmdline`).split('\0')
    return [{ pid: child, words }, ...descendantsOf(child)]
  })
}

/** The process of `tollbook start` for a part. */
export function partOf(pid: number, name: 'chain' | 'sellers'): RunningProcess | undefined {
  return descendantsOf(pid).find(
    ({ words }) => words.some((word) => /part\.worker\.[jt]s$/.test(word)) && words.includes(name),
  )
}

export function isRunning(pid: number): boolean {
  // A zombie has ended, and waits for its parent to notice.
  return !['', 'Z', 'X'].includes(/^State:\s+(\w)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? '')
}

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; !(await isSo()); await wait(50))
    if (Date.now() > endMs) throw new Error(`it never happened that ${what}`)
}

/** Empty for a process that has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
