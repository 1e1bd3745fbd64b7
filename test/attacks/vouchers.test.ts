import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { eventStream } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import type { StreamPiece } from '@tollbook/gate/contract/answer'
import { type Seller, startSeller } from '@tollbook/testing/paying/seller'
import { calc } from '@tollbook/utility/endpoints/api/calc/endpoint'
import { toClientEvmSigner } from '@x402/evm'
import {
  BatchSettlementEvmScheme,
  buildChannelConfig,
  computeChannelId,
  InMemoryClientChannelStorage,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import * as z from 'zod'

const [KEY, OTHER_KEY] = DEV_CLIENT_KEYS
const STALE = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'
const SALT = `0x${'00'.repeat(32)}` as const
/** micro-USDC */
const PRICE = 1000n

/** Awaited before the second piece of every stream. */
let between: () => unknown = () => {}
async function* tell(): AsyncGenerator<StreamPiece> {
  yield { bytes: Buffer.from('data: toll\n\n'), isContent: true }
  await between()
  yield { bytes: Buffer.from('data: book\n\n'), isContent: true }
}
const live = defineEndpoint({
  id: 'test.live',
  method: 'GET',
  path: '/test/live',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Two words',
  description: 'A live answer.',
  input: z.object({}),
  output: z.looseObject({}),
  example: { input: {}, output: {} },
  limits: { bodyBytes: 0, timeoutMs: 20_000 },
  handle: () => eventStream(tell()),
})

let seller: Seller
let offered: PaymentRequired
let config: ReturnType<typeof buildChannelConfig>
let id: `0x${string}`

const chainOf = () => createPublicClient({ transport: http(seller.chain.rpcUrl) })
const signerOf = (key: `0x${string}`) => toClientEvmSigner(privateKeyToAccount(key), chainOf())
const urlOf = (expr: string) => `${seller.url}/api/calc?expr=${encodeURIComponent(expr)}`
const fromBase64 = (text: string | null) => JSON.parse(Buffer.from(text ?? '', 'base64').toString())

before(async () => {
  seller = await startSeller({
    endpoints: [calc, live],
    settings: { TOLLBOOK_CHANNEL_QUIET_SECONDS: '3600' },
  })
  offered = fromBase64((await fetch(urlOf('1'))).headers.get('payment-required'))
  const signer = signerOf(KEY)
  const scheme = new BatchSettlementEvmScheme(signer, {
    storage: new InMemoryClientChannelStorage(),
    salt: SALT,
  })
  const buy = wrapFetchWithPayment(fetch, new x402Client().register(BASE.id, scheme))
  assert.equal((await buy(urlOf('1+1'))).status, 200)
  config = buildChannelConfig(
    { signer, salt: SALT, storage: new InMemoryClientChannelStorage() },
    terms() as never,
  )
  id = computeChannelId(config, BASE.id)
})
after(() => seller?.close())

function terms() {
  const found = offered.accepts.find(({ scheme }) => scheme === 'batch-settlement')
  assert.ok(found)
  return found
}

async function charged(): Promise<bigint> {
  const row = await seller.state.db.selectFrom('payment_channel').select('charged').executeTakeFirstOrThrow()
  return BigInt(row.charged)
}

type Change = {
  readonly key?: `0x${string}`
  readonly id?: `0x${string}`
  readonly config?: object
  readonly extra?: object
}

/** A payment by a voucher for a sum, as the SDK signs it, with changes. */
async function pay(max: bigint, change: Change = {}) {
  const { signature } = await signVoucher(signerOf(change.key ?? KEY), change.id ?? id, `${max}`, BASE.id)
  const voucher = { channelId: change.id ?? id, maxClaimableAmount: `${max}`, signature }
  const payload = {
    type: 'voucher',
    channelConfig: { ...config, ...change.config },
    voucher,
    ...change.extra,
  }
  return { x402Version: 2, resource: offered.resource, accepted: terms(), payload }
}

const send = (payment: object, expr: string, header = 'payment-signature') =>
  fetch(urlOf(expr), { headers: { [header]: Buffer.from(JSON.stringify(payment)).toString('base64') } })

async function reasonOf(response: Response): Promise<string> {
  return String(((await response.json()) as { reason?: unknown; code?: unknown }).reason)
}

test('vouchers for another sum, channel or receiver, of another key or shape, buy nothing', async () => {
  const next = (await charged()) + PRICE
  const before = await charged()
  const other = signerOf(OTHER_KEY).address
  const otherConfig = { ...config, salt: `0x${'01'.repeat(32)}` as const }
  const attacks: Record<string, object> = {
    'a sum that was paid before': await pay(next - PRICE),
    'a lower sum': await pay(next - 1n),
    'a higher sum': await pay(next + 1n),
    'more than the channel holds': await pay(1_000_000n),
    'a negative sum': await pay(next, {
      extra: { voucher: { channelId: id, maxClaimableAmount: '-1', signature: '0x00' } },
    }),
    'the key of another': await pay(next, { key: OTHER_KEY }),
    'an id that is not of its terms': await pay(next, { id: `0x${'0a'.repeat(32)}` }),
    'a channel without a deposit': await pay(PRICE, {
      config: otherConfig,
      id: computeChannelId(otherConfig, BASE.id),
    }),
    'a channel to another receiver': await pay(PRICE, {
      config: { receiver: other },
      id: computeChannelId({ ...config, receiver: other }, BASE.id),
    }),
    'a channel that another authorizes': await pay(PRICE, {
      config: { receiverAuthorizer: other },
      id: computeChannelId({ ...config, receiverAuthorizer: other }, BASE.id),
    }),
    'a channel with a short delay': await pay(PRICE, {
      config: { withdrawDelay: 900 },
      id: computeChannelId({ ...config, withdrawDelay: 900 }, BASE.id),
    }),
    'terms of another price': { ...(await pay(next)), accepted: { ...terms(), amount: '1' } },
    'the scheme exact': { ...(await pay(next)), accepted: offered.accepts[0] },
    'a further member': await pay(next, { extra: { claims: [] } }),
  }
  for (const [name, payment] of Object.entries(attacks)) {
    const response = await send(payment, '2+2')
    assert.ok([400, 402].includes(response.status), `${name}: ${response.status}`)
    assert.equal(response.headers.get('payment-response'), null, name)
  }
  // The same voucher by the other protocols.
  const voucher = await pay(next)
  const versionOne = {
    x402Version: 1,
    scheme: 'batch-settlement',
    network: BASE.nameV1,
    payload: voucher.payload,
  }
  assert.equal((await send(versionOne, '2+2', 'x-payment')).status, 402)
  assert.equal(await charged(), before)
})

test('a stale voucher is answered with the state from which the next one is signed', async () => {
  const now = await charged()
  const response = await send(await pay(now + 5n * PRICE), '3+3')
  const required: PaymentRequired = fromBase64(response.headers.get('payment-required'))
  assert.equal(await reasonOf(response), STALE)
  assert.equal(required.error, STALE)
  const corrective = required.accepts.find(({ scheme }) => scheme === 'batch-settlement')
  assert.ok(corrective)
  const channelState = corrective.extra.channelState as Record<string, unknown>
  assert.equal(channelState.channelId, id)
  assert.equal(channelState.chargedCumulativeAmount, `${now}`)
  // A client sends the state back as part of the terms that it accepted.
  const corrected = await pay(now + PRICE)
  const accepted = { ...terms(), extra: { ...terms().extra, channelState } }
  assert.equal((await send({ ...corrected, accepted }, '3+3')).status, 200)
  assert.equal(await charged(), now + PRICE)
})

test('the same voucher is the same call: one answer, one charge, and no other request', async () => {
  const now = await charged()
  const payment = await pay(now + PRICE)
  const answers = await Promise.all([1, 2, 3].map(() => send(payment, '4+4')))
  assert.ok(answers.some(({ status }) => status === 200))
  for (const { status } of answers) assert.ok([200, 409].includes(status), `${status}`)
  const again = await send(payment, '4+4')
  assert.equal(again.status, 200)
  assert.equal(((await again.json()) as { result: string }).result, '8')
  const other = await send(payment, '5+5')
  assert.equal(await reasonOf(other), STALE)
  assert.equal(await charged(), now + PRICE)
})

test('of calls at once with one voucher, one is served and the others are signed again', async () => {
  const now = await charged()
  const payment = await pay(now + PRICE)
  const answers = await Promise.all([1, 2, 3, 4].map((at) => send(payment, `${at}+10`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 402, 402, 402])
  assert.equal(await charged(), now + PRICE)
})

test('a call that fails does not charge the channel, and the next one uses its voucher', async () => {
  const now = await charged()
  const payment = await pay(now + PRICE)
  assert.equal((await send(payment, '1/0')).status, 422)
  assert.equal(await charged(), now)
  assert.equal((await send(payment, '6+6')).status, 200)
  assert.equal(await charged(), now + PRICE)
})

test('a stream is charged once its first piece is sent: the channel goes on while it runs, and if it fails', async () => {
  const now = await charged()
  const payment = await pay(now + PRICE)
  const headers = {
    'payment-signature': Buffer.from(JSON.stringify({ ...payment, resource: undefined })).toString('base64'),
  }
  const failing = Promise.withResolvers<void>()
  between = () => failing.promise
  const stream = await fetch(`${seller.url}/test/live`, { headers })
  assert.equal(stream.status, 200)
  assert.equal(await charged(), now + PRICE)
  assert.equal(await reasonOf(await send(payment, '7+7')), STALE)
  failing.reject(new Error('the source failed'))
  await assert.rejects(stream.text())
  between = () => {}
  assert.equal(await reasonOf(await send(payment, '7+7')), STALE)
  assert.equal((await send(await pay(now + 2n * PRICE), '7+7')).status, 200)
  const again = await fetch(`${seller.url}/test/live`, { headers })
  assert.equal(await again.text(), 'data: toll\n\ndata: book\n\n')
  assert.equal(await charged(), now + 2n * PRICE)
})

test('a refund of another sum or key returns nothing', async () => {
  const now = await charged()
  const refund = { extra: { type: 'refund' } }
  for (const change of [
    { max: now - PRICE, ...refund },
    { max: now, key: OTHER_KEY, ...refund },
  ]) {
    const response = await send(await pay(change.max, change), '1')
    assert.equal(response.status, 402)
    assert.equal(response.headers.get('payment-response'), null)
  }
})

test('a voucher and an exact payment with one Idempotency-Key at once buy one call', async () => {
  const settled = async () => {
    const rows = await seller.state.db.selectFrom('paid_call').select('state').execute()
    return rows.filter(({ state }) => state === 'settled').length
  }
  const before = await settled()
  const headers = { 'idempotency-key': 'one-call-by-two-payments' }
  const exact = wrapFetchWithPayment(
    fetch,
    new x402Client().register(BASE.id, new ExactEvmScheme(signerOf(KEY))),
  )
  const voucher = Buffer.from(JSON.stringify(await pay((await charged()) + PRICE))).toString('base64')
  const answers = await Promise.all([
    exact(urlOf('9+9'), { headers }),
    fetch(urlOf('9+9'), { headers: { ...headers, 'payment-signature': voucher } }),
  ])
  for (const { status } of answers) assert.ok([200, 409].includes(status), `${status}`)
  assert.ok(answers.some(({ status }) => status === 200))
  assert.equal((await settled()) - before, 1)
})
