import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { globalSetup, globalTeardown } from './global-setup.ts'
import { planProcesses } from './plan-processes.ts'

const ROOT = join(import.meta.dirname, '..')
/** Ignored by git, and gone with the packages. */
const CACHE = join(ROOT, 'node_modules/.cache')
const SHARED = join(CACHE, 'test-processes')
/** How long each process took when it ran last, by the first of its files. */
const SECONDS = join(CACHE, 'test-seconds.json')

// The command of `npm test`: all test files, of which some share a process. `npm test -w <name>` runs those of a package.
const folders = process.argv.length > 2 ? process.argv.slice(2) : ['packages', 'apps', 'tools', 'test']
const files = globSync(
  folders.map((folder) => `${folder}/**/*.test.ts`),
  { cwd: ROOT, exclude: ['**/node_modules'] },
)
rmSync(SHARED, { recursive: true, force: true })
mkdirSync(SHARED, { recursive: true })

const secondsOf: Record<string, number> = existsSync(SECONDS) ? JSON.parse(readFileSync(SECONDS, 'utf8')) : {}
const planned = planProcesses(files, (file) => readFileSync(join(ROOT, file), 'utf8'), secondsOf)
const entries = planned.map(writeEntry)

await globalSetup()
const results = run({
  files: entries,
  concurrency: 4,
  // The processes outnumber the cores: background threads of each would only compete. Loading modules makes much garbage,
  // which a larger young generation collects less often: loading takes a sixth less.
  execArgv: ['--v8-pool-size=0', '--max-semi-space-size=64'],
  timeout: 900_000,
})
results.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1
})
results.on('test:summary', ({ file, duration_ms }) => {
  const first = file === undefined ? undefined : planned[entries.indexOf(file)]?.[0]
  if (first !== undefined) secondsOf[first] = duration_ms / 1000
})
results.once('end', () => {
  writeFileSync(SECONDS, JSON.stringify(secondsOf))
  globalTeardown()
})
results.compose(spec).pipe(process.stdout)

/** The module that a test process runs: the test file itself, or one with several as suites. */
function writeEntry(planned: readonly string[], index: number): string {
  const first = planned[0] as string
  if (planned.length === 1) return join(ROOT, first)
  const entry = join(SHARED, `${index}-${dirname(first).replaceAll('/', '-')}.test.mjs`)
  const urls = planned.map((file) => [file, pathToFileURL(join(ROOT, file)).href])
  const runner = pathToFileURL(join(ROOT, 'test/run-as-suites.ts')).href
  const lines = [
    `import { runAsSuites } from '${runner}'`,
    `await runAsSuites(${JSON.stringify(Object.fromEntries(urls))})`,
  ]
  writeFileSync(entry, `${lines.join('\n')}\n`)
  return entry
}
