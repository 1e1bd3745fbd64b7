import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '..')

/** Rooms whose tests share processes: starting Node and loading modules costs more than most of these tests. */
const SHARED_ROOMS = [
  'catalogue',
  'chain',
  'engines',
  'fetching',
  'flow',
  'http',
  'inference',
  'money',
  'payments',
  'report',
  'social',
  'upstream',
  'utility',
]

/** Tests that change or measure their process, start another or embed an engine have a process of their own. */
const NEEDS_OWN_PROCESS =
  /process\.(?!execPath|pid|platform|arch|nextTick|hrtime)|globalThis|mock\.|memoryUsage|chdb|spawn|fork\(|execFile|Worker\(|playwright|watchTimers|configureGlobal|setGlobal|devchain|anvil/i
/** So have files that await before they register their tests: the suite of a group can end before. */
const AWAITS_AT_LOAD = /^(?:const|let)\b[^>\n]*\bawait\b|^await\b|^\} = await\b/m

/** Few enough that both cores stay busy to the end, and that a crash of the process affects few files. */
const MAX_GROUP_FILES = 16

export type TestGroups = {
  /** Paths relative to the repository; the files of a group run one after another in one process. */
  readonly groups: readonly (readonly string[])[]
  readonly isolated: readonly string[]
}

/** Every test file of `npm test`, once: in a group, or isolated. */
export function groupTestFiles(): TestGroups {
  const isolated: string[] = []
  const groups: string[][] = []
  for (const file of globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT }).sort()) {
    const [top, room = ''] = file.split('/')
    const canShare = top === 'src' && SHARED_ROOMS.includes(room)
    const code = readFileSync(join(ROOT, file), 'utf8')
    if (!canShare || NEEDS_OWN_PROCESS.test(code) || AWAITS_AT_LOAD.test(code)) {
      isolated.push(file)
      continue
    }
    const last = groups.at(-1)
    if (last?.[0]?.startsWith(`src/${room}/`) && last.length < MAX_GROUP_FILES) last.push(file)
    else groups.push([file])
  }
  return { groups, isolated }
}

/** A module that runs each file in a suite of its name: hooks apply to their file only, and a file that cannot load fails alone. */
export function renderGroup(files: readonly string[]): string {
  const suites = files.map((file) => {
    const url = pathToFileURL(resolve(ROOT, file)).href
    return `describe(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}) })\n`
  })
  return `import { describe } from 'node:test'\n${suites.join('')}`
}
