import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devPermit2Abi } from '@tollbook/testing/chain/dev-abis'
import {
  exactTerms,
  makeByPermit2,
  makeExact,
  payTerms,
  permit2Terms,
  uptoTerms,
} from '@tollbook/testing/payments/offered-payment'
import { startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import {
  NEVER,
  openSettlementStage,
  type SettlementStage,
  settleWhole,
  toSender,
} from '@tollbook/testing/payments/settlement-stage'
import { toBatch } from '@tollbook/testing/report/chain-payments'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { OfferedPayment } from '../payment.ts'
import { encodePermit2Settle, encodeTransfer } from './calldata.ts'
import { createChainReader } from './chain-reader.ts'

const terms = exactTerms('2237')
const permit2 = permit2Terms('2237')
let stage: SettlementStage
before(async () => {
  stage = await openSettlementStage()
})
after(() => stage.close())

const find = (payment: OfferedPayment) => createChainReader(stage.access).findSettlement(payment, NEVER)

test('an unused authorization is open, and expired once its end is final', async () => {
  const key = await stage.newPayer()
  const now = Math.floor(Date.now() / 1000)
  assert.deepEqual(await find(await payTerms(key, terms)), { found: 'open' })
  assert.deepEqual(await find(await makeExact(key, terms, { validBefore: now - 60 })), { found: 'expired' })
  assert.deepEqual(await find(await payTerms(key, uptoTerms('40000'))), { found: 'open' })
})

test('a nonce that was used for another transfer can pay nobody any more', async () => {
  const key = await stage.newPayer()
  const nonce = `0x${'5a'.repeat(32)}` as const
  const wanted = await makeExact(key, terms, { nonce })
  const other = await makeExact(key, exactTerms('2237', { payTo: devPayTo.social }), { nonce })
  const sender = toSender(DEV_CLIENT_KEYS[6], stage.chain.rpcUrl)
  const hash = await sender.sendTransaction({ to: BASE.usdc, data: encodeTransfer(other) })
  await sender.waitForTransactionReceipt({ hash })
  assert.deepEqual(await find(wanted), { found: 'cancelled', isFinal: true })
})

test('an exact payment by Permit2 is found by its nonce, whoever called the proxy', async () => {
  const key = await stage.newPayer()
  await stage.approvePermit2(key)
  const stranger = toSender(DEV_CLIENT_KEYS[6], stage.chain.rpcUrl)
  const [first, second] = [await makeByPermit2(key, permit2), await makeByPermit2(key, permit2)]
  const hashes: Hex[] = []
  for (const payment of [first, second]) {
    assert.deepEqual(await find(payment), { found: 'open' })
    const data = encodePermit2Settle(payment, 2237n)
    const hash = await stranger.sendTransaction({ to: CONTRACTS.exactPermit2Proxy, data })
    await stranger.waitForTransactionReceipt({ hash })
    hashes.push(hash)
  }
  for (const [at, payment] of [first, second].entries())
    assert.deepEqual(await find(payment), {
      found: 'settled',
      transaction: hashes[at],
      amount: 2237n,
      isFinal: true,
    })
})

test('a nonce of Permit2 that another permit used, or another contract, is cancelled once that is final', async (t) => {
  const key = await stage.newPayer()
  await stage.approvePermit2(key)
  const stranger = toSender(DEV_CLIENT_KEYS[6], stage.chain.rpcUrl)
  const nonce = BigInt(`0x${'5b'.repeat(32)}`)
  const wanted = await makeByPermit2(key, permit2, { nonce })
  const other = await makeByPermit2(key, permit2, { nonce, to: devPayTo.social })
  const batched = await makeByPermit2(key, permit2)
  const node = await startRpcProxy(stage.chain.rpcUrl)
  t.after(node.close)
  const before = new Map<string, unknown>()
  const lagging = createChainReader({ ...stage.access, rpcUrl: node.url, finalTag: 'finalized' })
  node.setResults(({ method }, result) => {
    before.set(method, result)
    return result
  })
  assert.deepEqual(await lagging.findSettlement(wanted, NEVER), { found: 'open' })
  const call = (payment: OfferedPayment) => ({
    to: CONTRACTS.exactPermit2Proxy,
    data: encodePermit2Settle(payment, 2237n),
  })
  for (const sent of [call(other), toBatch([call(batched)])]) {
    const receipt = await stranger.waitForTransactionReceipt({ hash: await stranger.sendTransaction(sent) })
    assert.equal(receipt.status, 'success')
  }
  assert.deepEqual(await find(wanted), { found: 'cancelled', isFinal: true })
  assert.deepEqual(await find(batched), { found: 'cancelled', isFinal: true })
  // A use that is not final yet may be one whose logs a node lacks.
  node.setResults(({ method, params }, result) =>
    params.includes('finalized') ? before.get(method) : result,
  )
  await assert.rejects(lagging.findSettlement(wanted, NEVER), { name: 'UseNotFound' })
})

test('an upto settlement is found by its nonce among others of the same payer', async () => {
  const facilitator = await stage.openFacilitator()
  const key = await stage.newPayer()
  const amounts = [100n, 200n, 300n]
  const payments: OfferedPayment[] = []
  const hashes: unknown[] = []
  for (const amount of amounts) {
    const payment = await payTerms(key, uptoTerms('40000'), stage.chain.rpcUrl)
    const { settlement } = await settleWhole(facilitator, payment, amount)
    assert.equal(settlement.outcome, 'settled')
    payments.push(payment)
    hashes.push(settlement.outcome === 'settled' && settlement.transaction)
  }
  for (const [at, payment] of payments.entries())
    assert.deepEqual(await find(payment), {
      found: 'settled',
      transaction: hashes[at],
      amount: amounts[at],
      isFinal: true,
    })
})

test('an upto payment whose nonce the payer invalidated is cancelled', async () => {
  const key = await stage.newPayer()
  const payment = await payTerms(key, uptoTerms('40000'))
  await stage.chain.fundGas(privateKeyToAccount(key).address)
  const wide = BigInt(payment.nonce)
  const args = [wide >> 8n, 1n << (wide & 0xffn)] as const
  const sender = toSender(key, stage.chain.rpcUrl)
  const call = {
    address: CONTRACTS.permit2,
    abi: devPermit2Abi,
    functionName: 'invalidateUnorderedNonces',
    args,
  } as const
  await sender.waitForTransactionReceipt({ hash: await sender.writeContract(call) })
  assert.deepEqual(await find(payment), { found: 'cancelled', isFinal: true })
})

test('whether an account has code is reported', async () => {
  const reader = createChainReader(stage.access)
  assert.equal(await reader.hasCode(BASE.usdc, NEVER), true)
  assert.equal(await reader.hasCode(devPayTo.utility as Hex, NEVER), false)
})
