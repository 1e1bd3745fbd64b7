import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { createInProcessFacilitator } from '@tollbook/facilitator/settlement/in-process-facilitator'
import { CENT } from '@tollbook/testing/paying/desk'
import { openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { startPostgres, type TestPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { pino } from 'pino'
import { openChannel, signChannelDeposit, signChannelPayment } from './channel-wallet.ts'

const skip = whyNoPostgres() ?? false
const PATH = '/test/good?word=hi'
const DEPOSIT = 500_000n

let shop: Shop
let state: State
let postgres: TestPostgres
let stateUrl: string
let network: Server
/** How many connections break on which a signed transaction is stored. */
let breaking = 0
/** Lets the database execute what it received on that connection. */
let execute = () => {}

before(async () => {
  if (skip) return
  postgres = await startPostgres()
  stateUrl = await postgres.createState()
  network = createServer((client) => {
    const server = connect(toAddress(stateUrl))
    let isBroken = false
    client.on('data', (bytes: Buffer) => {
      isBroken = breaking > 0 && bytes.includes('update "signer_transaction"') && bytes.includes('approved')
      if (!isBroken) return void server.write(bytes)
      breaking -= 1
      execute = () => server.write(bytes)
      client.destroy()
    })
    server.on('data', (bytes) => client.write(bytes))
    client.on('error', () => {}).on('close', () => isBroken || server.destroy())
    server.on('error', () => {}).on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve))
  state = await openState(withPort(stateUrl, (network.address() as AddressInfo).port))
  shop = await openShop({
    hasOwnBlocks: true,
    limits: { heartbeatMs: 3_600_000, leaseMs: 3_600_000 },
    facilitator: (chain) => openFacilitator(chain.rpcUrl),
  })
})
after(async () => {
  await shop?.close()
  await state?.close()
  network?.close()
  if (stateUrl) await postgres.dropDatabase(stateUrl)
})

/** Servers of ours listen on a socket in a folder, others on a port. */
function toAddress(
  url: string,
): { readonly path: string } | { readonly host: string; readonly port: number } {
  const { hostname, port, searchParams } = new URL(url)
  const folder = searchParams.get('host')
  return folder ? { path: `${folder}/.s.PGSQL.5432` } : { host: hostname, port: Number(port || 5432) }
}

function withPort(stateUrl: string, port: number): string {
  const url = new URL(stateUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  return url.href
}

const openFacilitator = (rpcUrl: string) =>
  createInProcessFacilitator({
    chain: toAccess(rpcUrl),
    key: devFacilitatorKey,
    state,
    logger: pino({ level: 'silent' }),
    leaseMs: 3_600_000,
  })

test('a deposit is sent although the connection breaks on which its transaction is stored', {
  skip,
}, async () => {
  for (const mayExecute of [true, false]) {
    const key = await shop.newPayer(DEPOSIT)
    const channel = await openChannel(shop, PATH, { key })
    breaking = 1
    const sold = await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT))
    assert.equal(sold.status, 200, await sold.text())
    assert.equal(breaking, 0)
    // Too late to change anything.
    if (mayExecute) execute()
    assert.equal((await shop.ask(PATH, await signChannelPayment(channel, 2n * CENT))).status, 200)
    assert.equal(await shop.balanceOf(key.address), 0n)
  }
})

test('a refund whose transaction the database stores after its connection broke blocks its channel until then', {
  skip,
}, async () => {
  const key = await shop.newPayer(2n * DEPOSIT)
  const channel = await openChannel(shop, PATH, { key })
  const sold = await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT))
  assert.equal(sold.status, 200, await sold.text())
  const buyNext = async () => shop.ask(PATH, await signChannelPayment(channel, 2n * CENT))

  breaking = 3
  const refund = await shop.ask(PATH, await signChannelPayment(channel, CENT, { type: 'refund' }))
  assert.equal(await refusalOf(refund), 'payment_in_flight')
  assert.equal(await refusalOf(await buyNext()), 'payment_in_flight')
  execute()
  const stored = () =>
    state.db.updateTable('signer_transaction').set({ lease_until: 0 }).where('state', '=', 'approved')
  while (
    (await stored().where('payments', 'like', `%${channel.id}%`).executeTakeFirst()).numUpdatedRows === 0n
  )
    await wait(20)
  // Another process takes over and sends it.
  const other = await openFacilitator(shop.seller.chain.rpcUrl)
  while ((await shop.balanceOf(key.address)) === DEPOSIT) await wait(20)
  assert.equal(await shop.balanceOf(key.address), 2n * DEPOSIT - CENT)
  await shop.seller.state.db.updateTable('payment_channel').set({ refund_until: 0 }).execute()
  assert.equal(await refusalOf(await buyNext()), 'payment_insufficient')
  await other.close()
})
