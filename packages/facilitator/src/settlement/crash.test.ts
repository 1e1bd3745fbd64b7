import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { devKey } from '@tollbook/chain/dev-accounts'
import type { Hex } from '@tollbook/chain/hex'
import type { OfferedPayment } from '@tollbook/gate/payment'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { decodeHeader, exactTerms, payTerms, signHeader } from '@tollbook/testing/payments/offered-payment'
import { type RpcProxy, startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import {
  NEVER,
  openSettlementStage,
  type SettlementStage,
  settleWhole,
} from '@tollbook/testing/payments/settlement-stage'
import { onEveryStateUrl } from '@tollbook/testing/state/every-state'
import { openStateAt } from '@tollbook/testing/state/open-state-at'
import { pino } from 'pino'
import { privateKeyToAccount } from 'viem/accounts'
import { createInProcessFacilitator } from './in-process-facilitator.ts'

const PROGRAM = join(import.meta.dirname, '../../../testing/src/payments/settle-once.ts')
const terms = exactTerms('2237')
let stage: SettlementStage
let proxy: RpcProxy
before(async () => {
  stage = await openSettlementStage()
  proxy = await startRpcProxy(stage.chain.rpcUrl)
})
after(async () => {
  await stage.close()
  await proxy.close()
})

const countOf = (account: Hex) =>
  stage.chain.rpc.call<Hex>('eth_getTransactionCount', [account, 'latest']).then(Number)

/** Starts a process that settles a payment, and returns the payment once the process is dead. */
async function settleInDyingProcess(
  place: { readonly url: string; readonly key: Hex },
  mode: 'die-when-told' | 'die-at-sending',
): Promise<OfferedPayment> {
  const state = await openStateAt(place.url)
  await state.close()
  await stage.chain.fundGas(privateKeyToAccount(place.key).address)
  const header = await signHeader(await stage.newPayer(), { terms: [terms] })
  const args = [PROGRAM, proxy.url, place.url, place.key, JSON.stringify(terms), header, mode]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  proxy.setFate((methods) => {
    if (!methods.includes('eth_sendRawTransaction')) return 'forward'
    child.kill('SIGKILL')
    return 'stall'
  })
  const [code, signal] = await once(child, 'exit')
  assert.deepEqual([code, signal], [null, 'SIGKILL'])
  return decodeHeader(header, { terms: [terms] })
}

/** A process that finds what the dead one left, after its lease has expired. */
async function openSuccessor(place: { readonly url: string; readonly key: Hex }) {
  const state = await openStateAt(place.url)
  await state.db.updateTable('signer_transaction').set({ lease_until: 0 }).execute()
  const facilitator = await createInProcessFacilitator({
    chain: stage.access,
    key: place.key,
    state,
    logger: pino({ level: 'silent' }),
  })
  return {
    facilitator,
    async close() {
      await facilitator.close()
      await state.close()
    },
  }
}

async function waitForCount(account: Hex, count: number): Promise<void> {
  for (let round = 0; round < 2_400 && (await countOf(account)) < count; round++) await delay(25)
  assert.equal(await countOf(account), count)
}

onEveryStateUrl(
  'a transaction that a killed process stored but never sent is sent by its successor',
  async (url, t) => {
    const place = { url, key: devKey(t.name) }
    const account = privateKeyToAccount(place.key).address
    const payment = await settleInDyingProcess(place, 'die-at-sending')
    const reader = createChainReader(stage.access)
    assert.deepEqual(await reader.findSettlement(payment, NEVER), { found: 'open' })
    const successor = await openSuccessor(place)
    await waitForCount(account, 1)
    const finding = await reader.findSettlement(payment, NEVER)
    assert.equal(finding.found, 'settled')
    // A second request to settle it returns the same transaction and sends nothing.
    const { settlement, told } = await settleWhole(successor.facilitator, payment)
    assert.equal(settlement.outcome, 'settled')
    assert.deepEqual(told, [])
    assert.equal(await countOf(account), 1)
    await successor.close()
  },
)

onEveryStateUrl(
  'a nonce that a killed process took but did not use is filled, and nobody is charged',
  async (url, t) => {
    const place = { url, key: devKey(t.name) }
    const account = privateKeyToAccount(place.key).address
    const payment = await settleInDyingProcess(place, 'die-when-told')
    const successor = await openSuccessor(place)
    // A later settlement waits until the gap is filled.
    const next = await settleWhole(successor.facilitator, await payTerms(await stage.newPayer(), terms))
    assert.equal(next.settlement.outcome, 'settled')
    assert.equal(await countOf(account), 2)
    assert.deepEqual(await createChainReader(stage.access).findSettlement(payment, NEVER), { found: 'open' })
    await successor.close()
  },
)
