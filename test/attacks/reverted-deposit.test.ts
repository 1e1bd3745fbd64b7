import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { createInProcessFacilitator } from '@tollbook/facilitator/settlement/in-process-facilitator'
import { CENT } from '@tollbook/testing/paying/desk'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { type RpcProxy, startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { openChannel, signChannelDeposit, signChannelPayment } from './channel-wallet.ts'

const PATH = '/test/good?word=hi'
const DEPOSIT = 500_000n

let shop: Shop
let state: State
let node: RpcProxy
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-reverted-'))
  state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
  await migrateState(state)
  shop = await openShop({
    hasOwnBlocks: true,
    limits: { heartbeatMs: 3_600_000, leaseMs: 3_600_000 },
    facilitator: async (chain, logger) => {
      node = await startRpcProxy(chain.rpcUrl)
      const access = { ...toAccess(node.url), finalTag: 'finalized' } as const
      return createInProcessFacilitator({ chain: access, key: devFacilitatorKey, state, logger })
    },
  })
})
after(async () => {
  await shop?.close()
  await node?.close()
  await state?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The `safe` block of Base is minutes old: it stays as it was first read. @returns the number of its reads */
function lagSafeBlock(): () => number {
  const first = new Map<string, unknown>()
  let reads = 0
  node.setResults(({ method, params }, result) => {
    if (method !== 'eth_call' || params[1] !== 'safe') return result
    reads += 1
    const key = JSON.stringify(params)
    if (!first.has(key)) first.set(key, result)
    return first.get(key)
  })
  return () => reads
}

test('a balance in the safe block is not read again for each call', async () => {
  const channel = await openChannel(shop, PATH, { key: await shop.newPayer(DEPOSIT) })
  const buy = async (calls: bigint) => shop.ask(PATH, await signChannelPayment(channel, calls * CENT))
  lagSafeBlock()
  assert.equal((await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT))).status, 200)
  const countReads = lagSafeBlock()
  for (let calls = 2n; calls <= 4n; calls += 1n) assert.equal((await buy(calls)).status, 200)
  assert.equal(countReads(), 1)
})

test('a node without a safe block has its balances read for each call', async () => {
  const channel = await openChannel(shop, PATH, { key: await shop.newPayer(DEPOSIT) })
  const buy = async (calls: bigint) => shop.ask(PATH, await signChannelPayment(channel, calls * CENT))
  node.setResults(({ params }, result) => (params[1] === 'safe' ? null : result))
  assert.equal((await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT))).status, 200)
  for (let calls = 2n; calls <= 3n; calls += 1n) assert.equal((await buy(calls)).status, 200)
})

// The last one: the wallet sends the removed transaction again only after its lease.
test('a channel whose deposit a reorganisation removes buys nothing more', async () => {
  const { rpc } = shop.seller.chain
  const channel = await openChannel(shop, PATH, { key: await shop.newPayer(DEPOSIT) })
  const buy = async (calls: bigint) => shop.ask(PATH, await signChannelPayment(channel, calls * CENT))
  lagSafeBlock()
  const before = await rpc.call<string>('evm_snapshot', [])
  assert.equal((await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT))).status, 200)
  assert.equal((await buy(2n)).status, 200)
  assert.equal(await rpc.call('evm_revert', [before]), true)
  const answer = await buy(3n)
  const { reason } = (await answer.json()) as { readonly reason?: string }
  assert.deepEqual([answer.status, reason], [402, 'invalid_batch_settlement_evm_channel_not_found'])
})
