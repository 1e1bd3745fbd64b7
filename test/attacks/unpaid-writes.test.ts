import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { type Customer, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { append } from '@tollbook/utility/endpoints/api/store/{collection}/endpoint'
import { sql } from 'kysely'

const PATH = '/api/store/loot'
const WRITES = 60
const PRICE = 5_000n

/** Resolves once the handler has staged its row. */
let afterHandler = async () => {}
const write: Endpoint = {
  ...append,
  handle: async (call) => {
    const answer = await append.handle(call)
    await afterHandler()
    return answer
  },
}

let shop: Shop
before(async () => {
  shop = await openShop({
    endpoints: [write],
    portsOf: utilityPorts,
    limits: { strikes: 1_000, heartbeatMs: 100 },
  })
})
after(() => shop?.close())

/** Sends a paid write as raw bytes and resets the connection up to 19 ms later. */
async function sendAndReset(payer: Customer, n: number): Promise<void> {
  const payment = await shop.sign(payer, PATH, { method: 'POST' })
  const body = JSON.stringify({ n })
  const { hostname, port, host } = new URL(shop.seller.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = [`POST ${PATH} HTTP/1.1`, `host: ${host}`, 'content-type: application/json']
  const sent = [...head, `content-length: ${body.length}`, `payment-signature: ${payment}`, '', body]
  socket.write(sent.join('\r\n'))
  await wait(n % 20)
  socket.resetAndDestroy()
}

/** Resolves when the payer has no open calls. */
async function untilClosed({ address }: Customer): Promise<void> {
  const calls = shop.seller.state.db.selectFrom('paid_call').select('id').where('is_open', '=', 1)
  while ((await calls.where('payer', '=', address.toLowerCase()).execute()).length > 0) await wait(20)
}

/** Settled calls and stored rows of a wallet at one moment. */
async function count({ address }: Customer): Promise<{ readonly settled: number; readonly rows: number }> {
  const wallet = address.toLowerCase()
  const { rows } = await sql<{ settled: number; rows: number }>`select
    (select count(*) from paid_call where payer = ${wallet} and state = 'settled') as settled,
    (select count(*) from collection_row join collection on collection.id = collection_row.collection
      where wallet = ${wallet}) as rows`.execute(shop.seller.state.db)
  return rows[0] ?? assert.fail()
}

test('of the writes whose connections are reset, exactly the paid ones are stored', async () => {
  const payer = await shop.newPayer(BigInt(WRITES) * PRICE)
  const held = await shop.balanceOf(payer.address)
  for (let from = 0; from < WRITES; from += 6) {
    const several = Array.from({ length: 6 }, (_, at) => sendAndReset(payer, from + at))
    await Promise.all(several)
    const { settled, rows } = await count(payer)
    assert.equal(rows, settled)
  }
  // A request may still be read after its connection was reset; its call is then opened later.
  for (let looks = 0; looks < 100; looks += 1) {
    await untilClosed(payer)
    const { settled, rows } = await count(payer)
    assert.equal(rows, settled)
    if (held - (await shop.balanceOf(payer.address)) === BigInt(rows) * PRICE) return
    await wait(50)
  }
  assert.fail('the transfers are not those of the rows')
})

test('a write whose wallet is emptied before its settlement stores nothing', async () => {
  const payer = await shop.newPayer(PRICE)
  const payment = await shop.sign(payer, PATH, { method: 'POST' })
  afterHandler = () => shop.callUsdc(payer.key, 'transfer', [DEV_CLIENT_ADDRESSES[8], PRICE])
  const response = await shop.ask(PATH, payment, {
    method: 'POST',
    body: '{"n":1}',
    headers: { 'content-type': 'application/json' },
  })
  afterHandler = async () => {}
  assert.equal(await refusalOf(response), 'payment_settlement_failed')
  assert.deepEqual(await count(payer), { settled: 0, rows: 0 })
})
