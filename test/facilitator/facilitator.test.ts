import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { exactTerms, makeExact, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { privateKeyToAddress } from 'viem/accounts'
import { startFacilitator, type TestFacilitator, toBody, toBodyV1 } from './facilitator-stage.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
const terms = exactTerms('1500', { payTo: SELLER })
let stage: SettlementStage
let facilitator: TestFacilitator
before(async () => {
  stage = await openSettlementStage()
  facilitator = await startFacilitator(stage, null)
})
after(async () => {
  await facilitator.close()
  await stage.close()
})

const countTransactions = () =>
  stage.chain.rpc.call<string>('eth_getTransactionCount', [devFacilitatorAddress, 'latest']).then(Number)

test('the stock client reads what is supported', async () => {
  const { kinds, signers } = await facilitator.client.getSupported()
  assert.deepEqual(
    kinds.map(({ x402Version, scheme, network }) => [x402Version, scheme, network]),
    [
      [2, 'exact', 'eip155:8453'],
      [2, 'upto', 'eip155:8453'],
      [2, 'batch-settlement', 'eip155:8453'],
      [1, 'exact', 'base'],
    ],
  )
  assert.deepEqual(signers, { 'eip155:*': [devFacilitatorAddress.toLowerCase()] })
})

test('an exact payment to any payee is verified and settled, once', async () => {
  const payer = await stage.newPayer()
  const payment = await payTerms(payer, terms)
  const verified = await facilitator.verify(payment)
  assert.equal(verified.isValid, true)
  const earned = await stage.balanceOf(SELLER)
  const settled = await facilitator.settle(payment)
  assert.equal(settled.success, true)
  assert.equal(settled.payer, privateKeyToAddress(payer).toLowerCase())
  assert.equal(settled.network, 'eip155:8453')
  assert.equal(settled.amount, '1500')
  const again = await facilitator.settle(payment)
  assert.deepEqual([again.success, again.errorReason], [false, 'invalid_exact_evm_nonce_already_used'])
  assert.equal(await stage.balanceOf(SELLER), earned + 1500n)
  assert.equal((await facilitator.verify(payment)).invalidReason, 'invalid_exact_evm_nonce_already_used')
})

test('a payment of version 1 settles once, whichever version repeats it', async () => {
  const payment = await makeExact(await stage.newPayer(), terms)
  const body = toBodyV1(payment)
  assert.equal((await facilitator.post('/verify', body)).body.isValid, true)
  const key = { 'idempotency-key': 'a-sellers-own-key-1' }
  const first = await facilitator.post('/settle', body, key)
  assert.equal(first.body.success, true)
  assert.equal(first.body.network, 'base')
  const again = await facilitator.post('/settle', toBody(payment), key)
  assert.equal(again.body.transaction, first.body.transaction)
})

test('upto settles what was used, and at most the maximum', async () => {
  const payment = await payTerms(
    await stage.newPayer(),
    { ...uptoTerms('3000'), payTo: SELLER },
    stage.chain.rpcUrl,
  )
  const earned = await stage.balanceOf(SELLER)
  assert.equal((await facilitator.verify(payment)).isValid, true)
  const tooMuch = await facilitator.settle(payment, '3001')
  assert.equal(tooMuch.errorReason, 'invalid_upto_evm_payload_settlement_exceeds_amount')
  const settled = await facilitator.settle(payment, '1200')
  assert.deepEqual([settled.success, settled.amount], [true, '1200'])
  assert.equal((await facilitator.settle(payment, '900')).errorReason, 'permit2_invalid_nonce')
  assert.equal(await stage.balanceOf(SELLER), earned + 1200n)
})

test('upto settles a charge of nothing without a transaction', async () => {
  const payment = await payTerms(
    await stage.newPayer(),
    { ...uptoTerms('3000'), payTo: SELLER },
    stage.chain.rpcUrl,
  )
  const count = await countTransactions()
  const settled = await facilitator.settle(payment, '0')
  assert.deepEqual([settled.success, settled.transaction, settled.amount], [true, '', '0'])
  assert.equal(await countTransactions(), count)
  assert.equal((await facilitator.settle(payment, '700')).amount, '700')
  assert.equal((await facilitator.settle(payment, '0')).errorReason, 'permit2_invalid_nonce')
  const poor = await payTerms(
    await stage.newPayer(10n),
    { ...uptoTerms('3000'), payTo: SELLER },
    stage.chain.rpcUrl,
  )
  assert.equal((await facilitator.settle(poor, '0')).success, false)
})

test('200 settlements offered at once take at most 50 transactions', async () => {
  const payers = await Promise.all(Array.from({ length: 100 }, () => stage.newPayer()))
  const sellers = [SELLER, `0x${'5f'.repeat(20)}`] as const
  const payments = await Promise.all(
    sellers.flatMap((payTo) => payers.map((key) => makeExact(key, { ...terms, payTo }))),
  )
  const count = await countTransactions()
  const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment)))
  assert.deepEqual(
    settled.filter(({ success }) => !success),
    [],
  )
  const used = (await countTransactions()) - count
  assert.ok(used <= 50, `${used} transactions`)
  assert.equal(await stage.balanceOf(sellers[1]), 150_000n)
})

test('200 settlements of one new payer take at most 50 transactions', async () => {
  const key = await stage.newPayer()
  const payments = await Promise.all(Array.from({ length: 200 }, () => makeExact(key, terms)))
  const count = await countTransactions()
  const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment)))
  assert.deepEqual(
    settled.filter(({ success }) => !success),
    [],
  )
  const used = (await countTransactions()) - count
  assert.ok(used <= 50, `${used} transactions`)
})

test('a settlement that outlasts its request is pending, goes on, and is answered when it is requested again', async (t) => {
  const hasty = await startFacilitator(stage, t, { waitMs: 1 })
  const payment = await makeExact(await stage.newPayer(), terms)
  const first = await hasty.settle(payment)
  assert.deepEqual([first.success, first.errorReason], [false, 'settlement_pending'])
  let answer = first
  while (answer.errorReason === 'settlement_pending') answer = await hasty.settle(payment)
  assert.equal(answer.success, true)
  assert.equal((await facilitator.settle(payment)).success, false)
})

test('it documents itself, is ready, and shows gas, batches, latency and failures as metrics', async () => {
  for (const path of ['/', '/openapi.json', '/llms.txt', '/healthz', '/readyz'])
    assert.equal((await fetch(`${facilitator.url}${path}`)).status, 200, path)
  const metrics = await (await fetch(`${facilitator.url}/metrics`)).text()
  for (const line of [
    /tollbook_gas_left_settlements\{wallet="0x\w{40}"\} [1-9]/,
    /tollbook_facilitator_settlement_gas_count [1-9]/,
    /tollbook_facilitator_batch_payments_bucket\{le="1"\} \d/,
    /tollbook_facilitator_settle_seconds_count\{outcome="settled"\} [1-9]/,
    /tollbook_facilitator_failures_total\{outcome="refused",reason="invalid_upto\w+"\} 1/,
  ])
    assert.match(metrics, line)
})
