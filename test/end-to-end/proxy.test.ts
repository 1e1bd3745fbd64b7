import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { openSpendingLog } from '@tollbook/pay/spending-log'
import {
  type RunningCommand,
  runCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { CENT } from '@tollbook/testing/paying/desk'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { readLinesOf } from './printed-lines.ts'

const PAYER = DEV_CLIENT_ADDRESSES[4]

let shop: Shop
before(async () => {
  shop = await openShop()
})
after(() => shop?.close())

/** Stands between buyer and seller; `hold` decides what becomes of a request with a payment. */
async function startRelay(seller: string) {
  const relay = {
    url: '',
    hold: 'never' as 'never' | 'before' | 'after',
    held: Promise.withResolvers<void>(),
  }
  const server = createServer(async ({ url, headers }, response) => {
    const payment = headers['payment-signature'] as string | undefined
    const hold = payment === undefined ? 'never' : relay.hold
    if (hold === 'before') return relay.held.resolve()
    const init = payment === undefined ? {} : { headers: { 'payment-signature': payment } }
    const answer = await fetch(`${seller}${url}`, init)
    const body = Buffer.from(await answer.arrayBuffer())
    if (hold === 'after') return relay.held.resolve()
    const passed = ['payment-required', 'payment-response', 'content-type']
    response.writeHead(
      answer.status,
      Object.fromEntries(passed.map((name) => [name, answer.headers.get(name) ?? ''])),
    )
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(relay, {
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

test('two proxies that are killed with payments on their way share a budget, and pay for nothing twice', async (t) => {
  const relay = await startRelay(shop.seller.url)
  t.after(() => relay.close())
  const folder = temporaryFolder('proxies')
  const path = join(folder, 'spending.sqlite')
  const { port } = new URL(shop.seller.chain.rpcUrl)
  const environment = { ...withoutSettings(), TOLLBOOK_DATA_DIR: folder, TOLLBOOK_DEVCHAIN_PORT: port }
  const words = [
    'proxy',
    '--to',
    relay.url,
    '--port',
    '0',
    '--budget',
    '0.07',
    '--log',
    path,
    '--account',
    '4',
  ]
  const start = () => Promise.all([startCommand(words, environment), startCommand(words, environment)])
  const call = (proxy: RunningCommand, word: string) =>
    fetch(`${proxy.addresses.proxy}/test/good?word=${word}`)
  const funds = await shop.balanceOf(PAYER)
  const spentOnChain = async () => funds - (await shop.balanceOf(PAYER))

  // One is killed before the payment reaches its seller, the other after it was settled.
  const first = await start()
  for (const [at, hold] of (['before', 'after'] as const).entries()) {
    const proxy = first[at] as RunningCommand
    Object.assign(relay, { hold, held: Promise.withResolvers<void>() })
    const lost = assert.rejects(call(proxy, hold))
    await relay.held.promise
    await proxy.kill()
    await lost
  }
  assert.equal(await spentOnChain(), CENT)

  relay.hold = 'never'
  const second = await start()
  t.after(() => Promise.all(second.map((proxy) => proxy.close())))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => call(second[at % 2] as RunningCommand, `w${at}`)),
  )
  assert.deepEqual(
    [200, 402].map((status) => answers.filter((answer) => answer.status === status).length),
    [5, 15],
  )
  assert.equal(await spentOnChain(), 6n * CENT)
  for (const word of ['before', 'after']) assert.equal((await call(second[0], word)).status, 200)
  assert.equal(await spentOnChain(), 7n * CENT)
  // An answered call is paid anew, which no budget is left for.
  assert.equal((await call(second[0], 'before')).status, 402)
  const log = openSpendingLog(path)
  t.after(() => log.close())
  assert.deepEqual(log.totals(), { spent: 7n * CENT, open: 0n })
})

test('twenty equal requests with one key over two processes are paid once, also after a kill', async (t) => {
  const folder = temporaryFolder('one-key')
  const { port } = new URL(shop.seller.chain.rpcUrl)
  const environment = { ...withoutSettings(), TOLLBOOK_DATA_DIR: folder, TOLLBOOK_DEVCHAIN_PORT: port }
  const words = ['proxy', '--to', shop.seller.url, '--port', '0', '--budget', '1', '--account', '3']
  const start = () => startCommand(words, environment)
  const headers = { 'idempotency-key': 'order-0123456789abcdef' }
  const call = async (proxy: RunningCommand) => {
    const response = await fetch(`${proxy.addresses.proxy}/test/good?word=once`, { headers })
    return `${response.status} ${await response.text()}`
  }
  const [payer] = DEV_CLIENT_ADDRESSES.slice(3)
  const funds = await shop.balanceOf(payer as typeof PAYER)
  const killed = await start()
  const held = Promise.withResolvers<void>()
  shop.desk.during = () => held.resolve()
  const lost = assert.rejects(call(killed))
  await held.promise
  await killed.kill()
  await lost
  shop.desk.during = () => {}
  const both = await Promise.all([start(), start()])
  t.after(() => Promise.all(both.map((proxy) => proxy.close())))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => call(both[at % 2] as RunningCommand)),
  )
  assert.equal(new Set(answers).size, 1, answers.join('\n'))
  assert.match(answers[0] ?? '', /^200 .*"word":"once"/)
  assert.equal(funds - (await shop.balanceOf(payer as typeof PAYER)), CENT)
  const log = openSpendingLog(join(folder, 'spending.sqlite'))
  t.after(() => log.close())
  assert.equal(log.list(9).length, 1)
})

test('a proxy whose service does not answer says so in its table, and is ready once it does', async (t) => {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const chainPort = new URL(shop.seller.chain.rpcUrl).port
  const environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: temporaryFolder('late-service'),
    TOLLBOOK_DEVCHAIN_PORT: chainPort,
  }
  const to = `http://127.0.0.1:${port}`
  const words = ['proxy', '--to', to, '--port', '0', '--budget', '1']
  const lines = readLinesOf(t, words, environment)
  const row = await lines.find(/^service /)
  assert.match(
    row,
    /^service +http:\S+ {2}NOT ANSWERING: connect ECONNREFUSED \S+: nothing listens there; is tollbook/,
  )
  await lines.find(/^log /)
  assert.equal(lines.isReady(), false)
  server.listen(port, '127.0.0.1')
  t.after(() => server.close())
  await lines.find(/^ready$/)
})

test('proxy explains what it lacks, and does not start', async () => {
  const environment = withoutSettings()
  for (const [words, message] of [
    [['proxy', '--budget', '1'], /--to must be the origin/],
    [['proxy', '--to', 'https://a.example/path', '--budget', '1'], /--to must be the origin/],
    [['proxy', '--to', 'https://a.example'], /--budget is required: an amount in dollars, such as 0\.05\n/],
  ] as const) {
    const { code, stderr } = await runCommand(words, environment)
    assert.equal(code, 2, stderr)
    assert.match(stderr, message)
    assert.match(stderr, /\nsee tollbook proxy --help\n$/)
  }
})
