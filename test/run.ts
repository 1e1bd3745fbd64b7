import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupTestFiles, renderGroup } from './test-groups.ts'

/** Runs all tests; further options of `node --test` may follow. A file outside a group is a process of its own. */
const { groups, isolated } = groupTestFiles()
const folder = mkdtempSync(join(tmpdir(), 'tollbook-test-groups-'))
const groupFiles = groups.map((files, index) => {
  const path = join(folder, `group-${index + 1}.mjs`)
  writeFileSync(path, renderGroup(files))
  return path
})
const child = spawn(
  process.execPath,
  [
    '--test',
    '--test-concurrency=4',
    '--test-timeout=900000',
    '--test-global-setup=test/global-setup.ts',
    ...process.argv.slice(2),
    ...isolated,
    ...groupFiles,
  ],
  { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' },
)
// The runner receives an interrupt of the terminal itself, and ends its processes first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void child.kill(signal))
child.on('exit', (code) => {
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
