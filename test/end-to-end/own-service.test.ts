import assert from 'node:assert/strict'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_KEYS, devPayToKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import {
  type RunningCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { Mppx } from 'mppx/client'
import { evm } from 'mppx/evm/client'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { wrapFetchWithPayment as wrapFetchWithPaymentV1 } from 'x402-fetch'
import { withoutX402 } from '../paying/stock-clients.ts'

const WEATHER = `import { defineEndpoint, defineService, json } from '@tollbook/endpoints'
import * as z from 'zod'

const weather = defineEndpoint({
  id: 'weather', method: 'GET', path: '/weather/{city}', pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Weather of a city', description: 'The temperature of a city.',
  input: z.object({ city: z.string().max(100) }), output: z.object({ city: z.string(), letters: z.int() }),
  example: { input: { city: 'Oslo' }, output: { city: 'Oslo', letters: 4 } },
  limits: { bodyBytes: 1024, timeoutMs: 5000 },
  handle: ({ input: { city }, ports }) => {
    if (city === 'exit') process.exit(3)
    if (city === 'error') throw new Error('broken')
    return json({ city, letters: (ports as { count(text: string): number }).count(city) })
  },
})
export const service = defineService({
  name: 'weather', title: 'Weather', description: 'The weather, paid per call.', endpoints: [weather],
  ports: ({ onClose }) => {
    onClose(() => console.log('ports closed'))
    return { count: (text: string) => text.length }
  },
})
`
const CLOCK = WEATHER.replaceAll('weather', 'clock')
  .replace(/: \w+(?=\))/g, '')
  .replace(/ as \{.*?\}\)/, ')')

const folder = temporaryFolder('own-service')
let served: RunningCommand
before(async () => {
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  const files = [join(folder, 'weather.ts'), join(folder, 'clock.mjs')]
  for (const [at, text] of [WEATHER, CLOCK].entries()) writeFileSync(files[at] ?? '', text)
  served = await startCommand(['serve', ...files], {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: join(folder, 'data'),
    TOLLBOOK_DEVCHAIN_PORT: `${await findFreePort('127.0.0.1')}`,
    TOLLBOOK_WEATHER_PORT: '0',
    TOLLBOOK_CLOCK_PORT: '0',
  })
})
after(async () => {
  await served?.close()
  rmSync(folder, { recursive: true, force: true })
})

const account = privateKeyToAccount(DEV_CLIENT_KEYS[3])
const pay = wrapFetchWithPayment(fetch, new x402Client().register(BASE.id, new ExactEvmScheme(account)))

test('services of two files are sold by one command, each to the wallet of its name', async () => {
  for (const name of ['weather', 'clock']) {
    const url = served.addresses[name]
    const unpaid = await fetch(`${url}/${name}/Oslo`)
    const offered = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '')
    assert.deepEqual(
      offered.accepts.map(({ scheme }) => scheme),
      ['exact', 'batch-settlement'],
    )
    const challenge = JSON.parse(await unpaid.text())
    assert.equal(challenge.accepts[0].payTo, privateKeyToAccount(devPayToKey(name)).address)
    assert.equal(challenge.accepts[0].maxAmountRequired, '10000')
    const response = await pay(`${url}/${name}/Oslo`)
    assert.deepEqual([response.status, await response.json()], [200, { city: 'Oslo', letters: 4 }])
  }
})

test('a client of x402 version 1 pays it', async () => {
  const wallet = createWalletClient({ account, chain: base, transport: http(served.addresses.chain) })
  const first = wrapFetchWithPaymentV1(fetch, wallet)
  const response = await first(`${served.addresses.weather}/weather/Bergen`)
  assert.deepEqual([response.status, await response.json()], [200, { city: 'Bergen', letters: 6 }])
})

test('a client of MPP pays it, and its receipt can be read', async () => {
  const methods = [evm.charge({ account, currencies: [evm.assets.base.USDC] })]
  const mppx = Mppx.create({ methods, fetch: withoutX402, polyfill: false })
  const url = served.addresses.clock
  const response = await mppx.fetch(`${url}/clock/Turin`)
  assert.deepEqual([response.status, await response.json()], [200, { city: 'Turin', letters: 5 }])
  const receipt = await fetch(`${url}/v1/receipts/${response.headers.get('tollbook-receipt')}`)
  assert.match(await receipt.text(), /"state":"settled","service":"clock"/)
})

test('it has the pages and documents of every service', async () => {
  const url = served.addresses.weather
  for (const path of [
    '/',
    '/openapi.json',
    '/llms.txt',
    '/.well-known/x402',
    '/discovery/resources',
    '/problems',
    '/healthz',
    '/readyz',
    '/metrics',
  ]) {
    const response = await fetch(`${url}${path}`)
    assert.equal(response.status, 200, path)
    if (
      !path.startsWith('/healthz') &&
      !path.startsWith('/readyz') &&
      path !== '/problems' &&
      path !== '/metrics'
    )
      assert.match(await response.text(), /\/weather\/[{:]city/, path)
  }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const listed = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
  assert.match(await listed.text(), /"name":"weather"/)
})

test('a handler that fails, or ends the process, is not charged and stops nothing', async () => {
  for (const city of ['error', 'exit']) {
    const response = await pay(`${served.addresses.weather}/weather/${city}`)
    assert.deepEqual([response.status, response.headers.get('payment-response')], [500, null], city)
  }
  assert.equal((await pay(`${served.addresses.weather}/weather/Rome`)).status, 200)
})
