import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { openClaiming } from '../../../../test/report/claiming.ts'
import { onSqliteState } from '../../../../test/state/every-state.ts'
import { DEV_CLIENT_KEYS } from '../../../devchain/accounts.ts'

const SERVICE = "'http://127.0.0.1:4020'"
const KEY = "keccak256(stringToHex('tollbook dev chain: payTo utility'))"

onSqliteState('the example of docs/claims.md claims a merchant exactly as printed', async (state) => {
  const { app, record } = await openClaiming(state)
  const server = createServer(getRequestListener(app.fetch)).listen(0, '127.0.0.1')
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
