import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { sql } from 'kysely'
import { privateKeyToAccount } from 'viem/accounts'
import { CHANNEL_DEPOSIT, CHANNEL_PRICE, openChannelShop } from './channel-shop.ts'
import { startFacilitator, type TestFacilitator } from './facilitator-stage.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
let stage: SettlementStage
let facilitator: TestFacilitator
/** Bodies of the requests to settle, as the stock server sent them. */
const sent: { paymentPayload: { payload: Record<string, unknown> } }[] = []
before(async () => {
  stage = await openSettlementStage()
  facilitator = await startFacilitator(stage, null)
})
after(async () => {
  await facilitator.close()
  await stage.close()
})

/** A stock server that sells through the facilitator; what it settles is recorded. */
function openSeller({ client } = facilitator) {
  const settle = client.settle.bind(client)
  client.settle = (paymentPayload, paymentRequirements, ...rest) => {
    sent.push(structuredClone({ x402Version: 2, paymentPayload, paymentRequirements }) as never)
    return settle(paymentPayload, paymentRequirements, ...rest)
  }
  return openChannelShop(client, SELLER)
}

const countTransactions = () =>
  stage.chain.rpc.call<string>('eth_getTransactionCount', [devFacilitatorAddress, 'latest']).then(Number)

test('@x402/hono sells to @x402/fetch from a channel, claims, is paid, and refunds, each transaction once', async () => {
  const seller = openSeller()
  const key = await stage.newPayer(20_000n)
  const { address } = privateKeyToAccount(key)
  const client = seller.openClient(key, stage.chain.rpcUrl)
  const earned = await stage.balanceOf(SELLER)
  for (let call = 0; call < 3; call += 1) {
    const response = await client.buy()
    assert.deepEqual([response.status, await response.json()], [200, { sold: true }])
  }
  assert.equal(await stage.balanceOf(address), 20_000n - CHANNEL_DEPOSIT)
  await seller.manager.claim()
  await seller.manager.settle()
  assert.equal((await stage.balanceOf(SELLER)) - earned, 3n * CHANNEL_PRICE)
  const refund = await client.refund()
  assert.equal(refund.success, true)
  assert.equal(await stage.balanceOf(address), 20_000n - 3n * CHANNEL_PRICE)

  const kinds = sent.map(({ paymentPayload }) => paymentPayload.payload.type)
  assert.deepEqual(kinds, ['deposit', 'claim', 'settle', 'refund'])
  const count = await countTransactions()
  for (const [at, body] of sent.entries()) {
    const answers = await Promise.all([facilitator.post('/settle', body), facilitator.post('/settle', body)])
    for (const { status, body: answer } of answers) {
      assert.equal(status, 200)
      // A payout is requested with the same words each time, and nothing is owed any more.
      if (kinds[at] === 'settle') assert.match(String(answer.errorReason), /nothing_to_settle/)
      else assert.equal(answer.success, true, JSON.stringify(answer))
    }
  }
  assert.equal(await countTransactions(), count)
})

test('a process that was killed after it sent a transaction leaves a row from which the request is answered', async () => {
  const [deposit, claim, , refund] = sent
  const count = await countTransactions()
  // The last one as if another process had raised its fee after that.
  const other = { hashes: `0x${'0c'.repeat(32)}` }
  for (const [body, change] of [[deposit], [claim], [refund], [refund, other]]) {
    const answered = await facilitator.post('/settle', body)
    const left = { answer: null, lease_until: 0, ...change }
    await stage.state.db.updateTable('channel_operation').set(left).execute()
    const [again, twin] = await Promise.all([
      facilitator.post('/settle', body),
      facilitator.post('/settle', body),
    ])
    assert.deepEqual([again.body.success, again.body.transaction], [true, answered.body.transaction])
    assert.deepEqual(twin.body, again.body)
    assert.equal(again.body.payer, answered.body.payer?.toString().toLowerCase())
  }
  assert.equal(await countTransactions(), count)
})

/** A deposit that was sent, whose answer is not stored, and a facilitator behind a node that a test can disturb. */
async function openUnanswered(t: TestContext) {
  const proxy = await startRpcProxy(stage.chain.rpcUrl)
  t.after(proxy.close)
  const far = await startFacilitator({ ...stage, access: { ...stage.access, rpcUrl: proxy.url } }, t)
  const [deposit] = sent
  const answered = await facilitator.post('/settle', deposit)
  await stage.state.db.updateTable('channel_operation').set({ answer: null, lease_until: 0 }).execute()
  return { proxy, far, deposit, answered }
}

test('a request during which the node failed is answered as soon as the node answers', async (t) => {
  const { proxy, far, deposit, answered } = await openUnanswered(t)
  proxy.setFate(() => 'break')
  assert.equal((await far.post('/settle', deposit)).status, 503)
  proxy.setFate(() => 'forward')
  const { body } = await far.post('/settle', deposit)
  assert.deepEqual([body.success, body.transaction], [true, answered.body.transaction])
})

test('a transaction that the node counts, and of which it lacks the receipt, is pending', async (t) => {
  const { proxy, far, deposit, answered } = await openUnanswered(t)
  proxy.setResults(({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result))
  assert.equal((await far.post('/settle', deposit)).body.errorReason, 'settlement_pending')
  proxy.setResults((_, result) => result)
  const { body } = await far.post('/settle', deposit)
  assert.deepEqual([body.success, body.transaction], [true, answered.body.transaction])
})

test('a request that another process takes before its transaction is sent is pending', async (t) => {
  const proxy = await startRpcProxy(stage.chain.rpcUrl)
  t.after(proxy.close)
  const place = { ...stage, access: { ...stage.access, rpcUrl: proxy.url } }
  const far = await startFacilitator(place, t, { nonceLeaseMs: 1_000 })
  const key = await stage.newPayer(20_000n)
  const held = () => stage.balanceOf(privateKeyToAccount(key).address)
  const client = openSeller(far).openClient(key, stage.chain.rpcUrl, `0x${'0d'.repeat(32)}`)
  proxy.setFate(async (methods) => {
    if (methods.includes('eth_estimateGas'))
      await stage.state.db
        .updateTable('channel_operation')
        .set({ version: 9, lease_until: 0 })
        .where('answer', 'is', null)
        .execute()
    return 'forward' as const
  })
  assert.notEqual((await client.buy()).status, 200)
  const [deposit] = sent.slice(-1)
  assert.equal((await far.post('/settle', deposit)).body.errorReason, 'settlement_pending')
  assert.equal(await held(), 20_000n)
  proxy.setFate(() => 'forward')
  assert.equal((await far.post('/settle', deposit)).body.success, true)
  assert.equal(await held(), 20_000n - CHANNEL_DEPOSIT)
})

test('a request whose transaction the store may still accept is pending, and keeps its hash and its lease', async (t) => {
  const hasty = await startFacilitator(stage, t, { waitMs: 0, nonceLeaseMs: 1_000 })
  const key = await stage.newPayer(20_000n)
  const client = openSeller(hasty).openClient(key, stage.chain.rpcUrl, `0x${'0b'.repeat(32)}`)
  await sql`create trigger refuse before update on signer_transaction when new.state = 'approved'
    begin select raise(abort, 'a fault of the store'); end`.execute(stage.state.db)
  assert.notEqual((await client.buy()).status, 200)
  await sql`drop trigger refuse`.execute(stage.state.db)
  const deposit = sent.at(-1)
  const during = await hasty.post('/settle', deposit)
  assert.equal(during.body.errorReason, 'settlement_pending')
  const rows = stage.state.db
    .updateTable('channel_operation')
    .where('hashes', '=', during.body.transaction as string)
  await rows.set({ lease_until: 0 }).execute()
  const { body } = await hasty.post('/settle', deposit)
  assert.equal(body.success, true, JSON.stringify(body))
  assert.equal(await stage.balanceOf(privateKeyToAccount(key).address), 20_000n - CHANNEL_DEPOSIT)
})

test('requests about channels that are forged or malformed are refused, and send nothing', async () => {
  const count = await countTransactions()
  const [deposit, claim, payout, refund] = sent.map((body) => body as never as Body)
  assert.ok(deposit && claim && payout && refund)
  type Payload = Record<string, object | undefined>
  const cases: readonly [Body, number, RegExp, (payload: Payload, body: Body) => void][] = [
    [deposit, 200, /signature/, (payload) => set(payload.voucher, 'signature', FORGED)],
    [deposit, 200, /channel_id/, (payload) => set(payload.channelConfig, 'salt', `0x${'07'.repeat(32)}`)],
    [deposit, 200, /receiver/, (_, body) => set(body.paymentRequirements, 'payTo', address('6e'))],
    [deposit, 200, /asset/, (payload) => set(payload.channelConfig, 'token', address('6e'))],
    [deposit, 200, /network/, (_, body) => set(body.paymentRequirements, 'network', 'eip155:84532')],
    [deposit, 400, /payload/, (payload) => set(payload.deposit, 'amount', '1'.repeat(80))],
    [deposit, 400, /payload/, (payload) => set(payload, 'type', 'exact')],
    [
      deposit,
      400,
      /payload/,
      (_, body) => set(body.paymentRequirements, 'extra', { receiverAuthorizer: '0x' }),
    ],
    [deposit, 200, /x402_version/, (_, body) => set(body.paymentPayload, 'x402Version', 1)],
    [deposit, 400, /payload/, (_, body) => set(body.paymentPayload, 'payload', null)],
    [claim, 200, /claim/, (payload) => set(payload, 'claimAuthorizerSignature', FORGED)],
    // Nobody signs for a seller that does not.
    [claim, 200, /authorizer/, (payload) => set(payload, 'claimAuthorizerSignature', undefined)],
    [claim, 400, /payload/, (payload) => set(payload, 'claims', [])],
    [payout, 200, /receiver/, (payload) => set(payload, 'receiver', address('6e'))],
    [payout, 200, /asset/, (payload) => set(payload, 'token', address('6e'))],
    [refund, 200, /refund/, (payload) => set(payload, 'refundNonce', '9')],
    [refund, 200, /refund/, (payload) => set(payload, 'refundAuthorizerSignature', FORGED)],
  ]
  for (const [at, [original, status, reason, change]] of cases.entries()) {
    const body = structuredClone(original)
    change(body.paymentPayload.payload as Payload, body)
    const settled = await facilitator.post('/settle', body)
    assert.equal(settled.status, status, `case ${at}: ${JSON.stringify(settled.body)}`)
    assert.equal(settled.body.success, false)
    assert.match(String(settled.body.errorReason), reason, `case ${at}`)
    // Of a refund, verification reads the voucher alone.
    if (original === refund) continue
    const verified = await facilitator.post('/verify', body)
    assert.ok(verified.status === 400 || verified.body.isValid === false, `case ${at}`)
  }
  assert.equal(await countTransactions(), count)
})

type Body = { paymentPayload: { payload: unknown }; paymentRequirements: object }
const FORGED = `0x${'11'.repeat(64)}1b`
const address = (byte: string) => `0x${byte.repeat(20)}`
function set(target: object | undefined, name: string, value: unknown): void {
  Object.assign(target ?? {}, { [name]: value })
}

test('a stock server answers one of ten copies of a deposit that arrive at once', async () => {
  const key = await stage.newPayer(20_000n)
  const client = openSeller(facilitator).openClient(key, stage.chain.rpcUrl, `0x${'0e'.repeat(32)}`)
  const answers = await client.buyCopies(10)
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
})
