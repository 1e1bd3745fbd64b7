import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { globalSetup, globalTeardown } from './global-setup.ts'
import { planProcesses } from './plan-processes.ts'

const ROOT = join(import.meta.dirname, '..')
/** Ignored by git, and gone with the packages. */
const SHARED = join(ROOT, 'node_modules/.cache/test-processes')

// The command of `npm test`: all test files, of which some share a process. `npm test -w <name>` runs those of a package.
const folders = process.argv.length > 2 ? process.argv.slice(2) : ['packages', 'apps', 'tools', 'test']
const files = globSync(
  folders.map((folder) => `${folder}/**/*.test.ts`),
  { cwd: ROOT, exclude: ['**/node_modules'] },
)
rmSync(SHARED, { recursive: true, force: true })
mkdirSync(SHARED, { recursive: true })

await globalSetup()
const results = run({
  files: planProcesses(files, (file) => readFileSync(join(ROOT, file), 'utf8')).map(writeEntry),
  concurrency: 4,
  // The processes outnumber the cores: background threads of each would only compete.
  execArgv: ['--v8-pool-size=0'],
  timeout: 900_000,
})
results.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1
})
results.once('end', globalTeardown)
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
