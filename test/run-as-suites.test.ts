import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'

const run = promisify(execFile)

const REST = `await new Promise((resolve) => setTimeout(resolve, 200).unref())`

test('a test that waits only for an unreferenced timer completes, even if its file loads slowly', async () => {
  const folder = temporaryFolder('suites')
  const write = async (name: string, text: string) => {
    const file = join(folder, name)
    await writeFile(file, `import { test } from 'node:test'\n${text}`)
    return pathToFileURL(file).href
  }
  const files = {
    first: await write('first.mjs', `test('rests', async () => { ${REST} })\n`),
    second: await write(
      'second.mjs',
      `await new Promise((resolve) => setTimeout(resolve, 1_000))\ntest('rests', async () => { ${REST} })\n`,
    ),
  }
  const runner = new URL('run-as-suites.ts', import.meta.url).href
  const entry = join(folder, 'entry.mjs')
  await writeFile(
    entry,
    `import { runAsSuites } from '${runner}'\nawait runAsSuites(${JSON.stringify(files)})\n`,
  )
  // Inside a test, Node would report to this one instead of printing.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const { stdout } = await run(process.execPath, ['--test-reporter=tap', entry], { env: environment })
  assert.match(stdout, /^# pass 2$/m)
  assert.match(stdout, /^# cancelled 0$/m)
})
