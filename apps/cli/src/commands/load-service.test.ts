import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { UsageError } from '@tollbook/flow/usage-error'
import { ServiceError } from '@tollbook/runtime/process/service-error'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { isFile } from './load-service.ts'
import { loadApps } from './serve/load-apps.ts'

const folder = temporaryFolder('services')
symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'))

const DECLARED = `import { defineEndpoint, defineService, json } from '@tollbook/endpoints'
import * as z from 'zod'
const endpoint = defineEndpoint({
  id: 'time', method: 'GET', path: '/time', pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Time', description: 'What time it is.', input: z.object({}), output: z.object({ ms: z.number() }),
  example: { input: {}, output: { ms: 0 } }, limits: { bodyBytes: 0, timeoutMs: 1000 },
  handle: ({ now }) => json({ ms: now.getTime() }),
})
export const service = defineService({ name: 'clock', title: 'Clock', description: 'Tells the time.', endpoints: [endpoint] })
`

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

async function issueOf(words: readonly string[]): Promise<string> {
  try {
    await loadApps(words)
    return ''
  } catch (error) {
    assert.ok(error instanceof ServiceError || error instanceof UsageError, `${error}`)
    return error.message
  }
}

test('files of TypeScript and JavaScript are loaded as services with ports in their order', async () => {
  const files = [
    write('one.ts', DECLARED.replace('service =', 'service: object =')),
    write('two.mjs', DECLARED.replace("'clock'", "'clock-two'")),
    write(
      'three.js',
      DECLARED.replace("'clock'", "'clock-3', port: 5000").replace('const service =', 'default'),
    ),
  ]
  const apps = await loadApps(['inference', ...files])
  assert.deepEqual(
    apps.map(({ name, port }) => [name, port]),
    [
      ['inference', 4023],
      ['clock', 4030],
      ['clock-two', 4031],
      ['clock-3', 5000],
    ],
  )
  assert.ok(files.every(isFile) && isFile('./a') && !isFile('utility'))
})

test('the services of Tollbook are loaded in the same way', async () => {
  const [app] = await loadApps(['inference'])
  assert.deepEqual([app?.name, app?.port], ['inference', 4023])
})

test('what is wrong with a file is said with its name', async () => {
  const right = write('right.mjs', DECLARED)
  const issues = (text: string, at = 'wrong') => issueOf([write(`${at}.mjs`, text)])
  assert.match(await issueOf([join(folder, 'absent.ts')]), /absent\.ts: no such file$/)
  assert.match(
    await issues('export const weather = 1', 'none'),
    /^wrong service .*none\.mjs:\n {2}it exports weather, but no service; write export const service = defineService\(/,
  )
  assert.match(await issues('', 'empty'), /it exports nothing, but no service/)
  assert.match(
    await issues("import 'a-package-that-is-absent'", 'absent'),
    /npm install a-package-that-is-absent$/,
  )
  assert.match(await issues('export const service = {', 'syntax'), /cannot be loaded: SyntaxError: /)
  assert.match(await issues('throw new TypeError("oh")', 'throws'), /TypeError: oh\n +at .*throws\.mjs:1/)
  assert.match(
    await issues(DECLARED.replace("'0.01'", "'$0.01'"), 'price'),
    /\n {2}time: its price must be decimal text in dollars without a sign, such as '0\.01', not '\$0\.01'$/,
  )
  assert.match(
    await issues(DECLARED.replace('title:', 'tilte:'), 'member'),
    /\n {2}title must be text, not undefined\n {2}tilte is no member of a service/,
  )
  assert.match(
    await issues(DECLARED.replace('[endpoint]', '[endpoint, { ...endpoint, id: "again" }]'), 'path'),
    /\n {2}GET \/time: this route is declared more than once$/,
  )
  assert.match(
    await issues('export const service = { prepare() {} }', 'app'),
    /\n {2}readFiles must be a function/,
  )
  assert.match(await issueOf([right, right]), /name: "clock" is already served by this command$/)
  for (const name of ['report', 'facilitator', 'devchain', 'utility', 'index'])
    assert.match(
      await issues(DECLARED.replace("'clock'", `'${name}'`), name),
      new RegExp(`name: "${name}" is a part of Tollbook; choose another$`),
    )
})
