import assert from 'node:assert/strict'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import { runProgram, startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { readTutorial } from '../read-tutorial.ts'

const ROOT = join(import.meta.dirname, '../..')
const { files, installs, serve, printed } = readTutorial()
const folder = temporaryFolder('tutorial')
const environment = withoutSettings()
// Otherwise its test runs as a part of this one.
delete environment.NODE_TEST_CONTEXT

before(() => {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, code] of files) writeFileSync(join(folder, name), code)
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('the tutorial has a service, its test and a buyer, and installs what they import', () => {
  assert.deepEqual([...files.keys()], ['roman.ts', 'roman.test.ts', 'buy.mjs'])
  const imported = [...files.values()].flatMap((code) =>
    [...code.matchAll(/from '(?!node:)((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = '']) => name),
  )
  const installed = installs.flat()
  assert.deepEqual(
    imported.filter((name) => !installed.includes(name)),
    [],
  )
})

test('its test passes, and fails for a wrong example', async () => {
  const run = () => runProgram([process.execPath, '--test', join(folder, 'roman.test.ts')], environment)
  const right = await run()
  assert.equal(right.code, 0, right.stdout)
  const file = join(folder, 'roman.ts')
  const code = readFileSync(file, 'utf8')
  writeFileSync(file, code.replace('roman: toRoman(number) })', 'roman: 7 })'))
  try {
    const wrong = await run()
    assert.match(wrong.stdout, /roman: its answer does not fit its output schema/)
    assert.equal(wrong.code, 1)
  } finally {
    writeFileSync(file, code)
  }
})

test('its service is served, and its buyer pays', async () => {
  const [command = '', file = ''] = serve
  assert.deepEqual([command, file], ['serve', './roman.ts'])
  const port = await findFreePort('127.0.0.1')
  const served = await startCommand([command, join(folder, file), '--port', `${port}`], {
    ...environment,
    TOLLBOOK_DATA_DIR: join(folder, 'data'),
    TOLLBOOK_DEVCHAIN_PORT: `${await findFreePort('127.0.0.1')}`,
  })
  try {
    const buyer = join(folder, 'buy.mjs')
    const code = files.get('buy.mjs') ?? ''
    assert.ok(code.includes('127.0.0.1:4030/'))
    writeFileSync(buyer, code.replace('127.0.0.1:4030/', `127.0.0.1:${port}/`))
    const { stdout, stderr } = await runProgram([process.execPath, buyer], environment)
    assert.deepEqual([stdout, stderr], [`${printed}\n`, ''])
  } finally {
    assert.equal(await served.close(), 0)
  }
})
