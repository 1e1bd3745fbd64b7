import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { PackageMissing } from '@tollbook/runtime/process/package-missing'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { findApp, findPaidApps, loadApp } from './apps.ts'

const folder = temporaryFolder('apps')

/** Imports a package from a folder that has none of this repository. */
function importerOf(name: string, specifier: string) {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, `export const app = (await import('${specifier}')).app\n`)
  return async () => (await import(pathToFileURL(file).href)).app
}

const ALL = {
  social: async () => (await import('@tollbook/social/open/app')).service,
  utility: importerOf('utility', '@tollbook/utility'),
  inference: async () => (await import('@tollbook/inference/open/app')).service,
  report: async () => (await import('@tollbook/report/open/app')).app,
}

test('an app that is not installed is named with the command that installs it', async () => {
  await assert.rejects(loadApp('utility', ALL), (error) => {
    assert.ok(error instanceof PackageMissing)
    assert.equal(
      error.message,
      'the package @tollbook/utility is not installed: npm install @tollbook/utility',
    )
    return true
  })
  assert.equal(await findApp('utility', ALL), null)
  assert.deepEqual(
    (await findPaidApps(ALL)).map(({ name }) => name),
    ['social', 'inference'],
  )
})

test('a package that an installed app lacks is an error of its own', async () => {
  const installed = join(folder, 'node_modules/@tollbook/utility')
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(installed, 'package.json'), '{"type":"module","exports":"./index.js"}')
  writeFileSync(join(installed, 'index.js'), "import 'a-package-that-is-absent'\n")
  const broken = { ...ALL, utility: importerOf('broken', '@tollbook/utility') }
  await assert.rejects(loadApp('utility', broken), /Cannot find package 'a-package-that-is-absent'/)
  await assert.rejects(findPaidApps(broken), /a-package-that-is-absent/)
})

test('a command that needs a missing package prints it, and ends with 78', () => {
  const file = join(folder, 'command.mjs')
  const process_ = import.meta.resolve('@tollbook/runtime/process/run-process')
  const missing = import.meta.resolve('@tollbook/runtime/process/package-missing')
  writeFileSync(
    file,
    `import { runProcess } from '${process_}'
import { throwAbsence } from '${missing}'
await runProcess(() => import('@tollbook/social').catch(throwAbsence))\n`,
  )
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  assert.equal(
    stderr,
    'tollbook: the package @tollbook/social is not installed: npm install @tollbook/social\n',
  )
  assert.equal(status, 78)
})
