import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { exactTerms, makeExact, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { x402Client } from '@x402/core/client'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { startFacilitator, type TestFacilitator, toBody } from './facilitator-stage.ts'
import { STOCK_SELLERS } from './stock-sellers.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
const USED = 'invalid_exact_evm_nonce_already_used'
const OPEN = 'duplicate_settlement'
const KEY = { 'idempotency-key': 'a-sellers-own-key-1' }
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

/** The header with which the stock client pays a 402. */
async function signOffer(key: Hex, unpaid: Response): Promise<string> {
  const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '')
  const signer = toClientEvmSigner(privateKeyToAccount(key))
  const client = new x402Client().register(BASE.id, new ExactEvmScheme(signer))
  return encodePaymentSignatureHeader(await client.createPaymentPayload(required))
}

for (const [name, start] of STOCK_SELLERS)
  test(`${name} answers one of 40 copies of a payment that arrive at once`, async (t) => {
    const url = `${await start(t, facilitator.url)}/exact`
    const header = await signOffer(await stage.newPayer(), await fetch(url))
    const ask = () => fetch(url, { headers: { 'payment-signature': header } })
    const answers = await Promise.all(Array.from({ length: 40 }, ask))
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, ...Array<number>(39).fill(402)])
    assert.equal((await ask()).status, 402)
  })

test('of many requests to settle one payment, one is answered, by whichever process', async (t) => {
  const other = await startFacilitator(stage, t)
  const body = toBody(await makeExact(await stage.newPayer(), terms))
  const answers = await Promise.all(
    [facilitator, other].flatMap(({ post }) => Array.from({ length: 8 }, () => post('/settle', body))),
  )
  const settled = answers.filter(({ body: { success } }) => success === true)
  assert.equal(settled.length, 1)
  for (const { status, body } of answers.filter((answer) => !settled.includes(answer))) {
    assert.equal(status, 200)
    assert.ok([OPEN, USED].includes(String(body.errorReason)), String(body.errorReason))
    assert.equal(body.transaction, '')
  }
  for (const { post } of [facilitator, other])
    assert.equal((await post('/settle', body)).body.errorReason, USED)
})

test('a request whose connection broke off before its answer is repeated, once', async (t) => {
  const proxy = await startRpcProxy(stage.chain.rpcUrl)
  t.after(proxy.close)
  const far = await startFacilitator({ ...stage, access: { ...stage.access, rpcUrl: proxy.url } }, t)
  const body = toBody(await makeExact(await stage.newPayer(), terms))
  const [sending, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  proxy.setFate(async (methods) => {
    if (methods.includes('eth_sendRawTransaction')) {
      sending.resolve()
      await held.promise
    }
    return 'forward' as const
  })
  const leaving = new AbortController()
  const left = far.post('/settle', body, {}, leaving.signal)
  await sending.promise
  const during = await far.post('/settle', body)
  assert.deepEqual([during.status, during.body.success, during.body.errorReason], [200, false, OPEN])
  leaving.abort()
  await assert.rejects(left)
  held.resolve()
  let answer = await far.post('/settle', body)
  while (answer.body.errorReason === OPEN) answer = await far.post('/settle', body)
  assert.equal(answer.body.success, true)
  assert.equal((await far.post('/settle', body)).body.errorReason, USED)
})

test('requests with one Idempotency-Key get one answer, at once and later; others get none', async (t) => {
  const other = await startFacilitator(stage, t)
  const body = toBody(await makeExact(await stage.newPayer(), terms))
  const first = await Promise.all(
    [facilitator, other, facilitator].map(({ post }) => post('/settle', body, KEY)),
  )
  const later = await other.post('/settle', body, { 'idempotency-key': `"${KEY['idempotency-key']}"` })
  for (const { body: answer } of [...first, later]) {
    assert.equal(answer.success, true)
    assert.deepEqual(answer, first[0]?.body)
  }
  const strangers = [{}, { 'idempotency-key': 'the-key-of-another-1' }]
  for (const headers of strangers)
    assert.equal((await facilitator.post('/settle', body, headers)).body.errorReason, USED)
  assert.equal((await facilitator.post('/settle', body, { 'idempotency-key': 'short' })).status, 400)
})

test('the identifier that a buyer chooses does not make an answer repeatable', async () => {
  const body = toBody(await makeExact(await stage.newPayer(), terms))
  const extensions = { 'payment-identifier': { info: { required: false, id: 'pay_0123456789abcdef' } } }
  const named = { ...body, paymentPayload: { ...body.paymentPayload, extensions } }
  const answers = await Promise.all(Array.from({ length: 5 }, () => facilitator.post('/settle', named)))
  assert.equal(answers.filter(({ body: { success } }) => success === true).length, 1)
})

test('another authorization with a used nonce is refused, whatever of it differs', async () => {
  const key = await stage.newPayer()
  const payment = await makeExact(key, terms)
  assert.equal((await facilitator.post('/settle', toBody(payment), KEY)).body.success, true)
  const { nonce, validBefore } = payment
  const changes = [{ validBefore: validBefore - 1 }, { validAfter: 1 }]
  for (const change of changes) {
    const again = await makeExact(key, terms, { nonce, validBefore, ...change })
    const { body } = await facilitator.post('/settle', toBody(again), KEY)
    assert.deepEqual([body.success, body.errorReason, body.transaction], [false, USED, ''])
  }
})

test('an upto payment is answered once, and a second charge is refused', async () => {
  const chosen = { ...uptoTerms('3000'), payTo: SELLER }
  const payment = await payTerms(await stage.newPayer(), chosen, stage.chain.rpcUrl)
  const charges = ['1200', '900', '1200']
  const answers = await Promise.all(
    charges.map((charge) => facilitator.post('/settle', toBody(payment, charge))),
  )
  assert.equal(answers.filter(({ body: { success } }) => success === true).length, 1)
  const { body } = await facilitator.post('/settle', toBody(payment, '900'))
  assert.deepEqual([body.success, body.errorReason], [false, 'permit2_invalid_nonce'])
})
