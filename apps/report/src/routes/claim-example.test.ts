import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { openClaiming } from '@tollbook/testing/report/claiming'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { createWebhookSecret, toWebhookHeaders } from '@tollbook/webhooks/sign-webhook'

const SERVICE = "'http://127.0.0.1:4020'"
const KEY = "keccak256(stringToHex('tollbook dev chain: payTo utility'))"

onSqliteState('the example of docs/claims.md claims a merchant exactly as printed', async (state) => {
  const { app, record } = await openClaiming(state)
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false })).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  try {
    const [, example = ''] = /```ts\n(.*?)```/s.exec(readFileSync('docs/claims.md', 'utf8')) ?? []
    const { port } = server.address() as AddressInfo
    assert(example.includes(SERVICE) && example.includes(KEY))
    const script = example
      .replace(SERVICE, `'http://127.0.0.1:${port}'`)
      .replace(KEY, `'${DEV_CLIENT_KEYS[0]}'`)
    await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script])
    const { statement } = await record()
    assert.equal(statement, 'Our monitoring calls each endpoint every hour.')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('the receiver of docs/claims.md accepts an alert, once, and no forged one', async (context) => {
  const [, [, example = ''] = []] = [...readFileSync('docs/claims.md', 'utf8').matchAll(/```ts\n(.*?)```/gs)]
  const secret = createWebhookSecret()
  const child = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `${example}\nserver.on('listening', () => console.log(server.address().port))`,
    ],
    {
      env: { ...process.env, SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  context.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value: port } = await lines.next()
  const send = async (headers: Record<string, string>, body: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status
  const message = { id: 'msg_1', body: '{"type":"test"}', sentAt: new Date() }
  const headers = toWebhookHeaders(secret, message)
  assert.equal(await send(headers, message.body), 204)
  assert.equal((await lines.next()).value, "{ type: 'test' }")
  assert.equal(await send(headers, message.body), 204)
  assert.equal(await send(headers, '{"type":"forged"}'), 401)
  const old = { ...message, sentAt: new Date(Date.now() - 600_000) }
  assert.equal(await send(toWebhookHeaders(secret, old), old.body), 401)
  const next = { ...message, id: 'msg_2', body: '{"type":"flag.new"}' }
  assert.equal(await send(toWebhookHeaders(secret, next), next.body), 204)
  // Neither the repeated nor the forged alerts were printed in between.
  assert.equal((await lines.next()).value, "{ type: 'flag.new' }")
})
