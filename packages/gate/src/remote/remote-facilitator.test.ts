import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { type HostileFacilitator, startHostileFacilitator } from '@tollbook/devchain/hostile-facilitator'
import { exactTerms, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import {
  NEVER,
  openSettlementStage,
  type SettlementStage,
  settleWhole,
} from '@tollbook/testing/payments/settlement-stage'
import { pino } from 'pino'
import type { RunningFacilitator } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import { createRemoteFacilitator } from './remote-facilitator.ts'

const terms = exactTerms('2237')
const servers: Server[] = []
const facilitators: RunningFacilitator[] = []
let stage: SettlementStage
let stock: HostileFacilitator
let facilitator: RunningFacilitator
let payment: OfferedPayment
before(async () => {
  stage = await openSettlementStage()
  stock = await startHostileFacilitator({ mode: 'honest', chain: stage.chain })
  facilitator = await connect(stock.url)
  payment = await payTerms(await stage.newPayer(), terms)
})
after(async () => {
  for (const one of facilitators) await one.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await stock.close()
  await stage.close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

async function connect(url: string): Promise<RunningFacilitator> {
  const logger = pino({ level: 'silent' })
  const timeouts = { timeoutMs: 2_000, settleTimeoutMs: 2_000 }
  const opened = await createRemoteFacilitator({ url, network: BASE.id, logger, ...timeouts })
  facilitators.push(opened)
  return opened
}

/** A facilitator that answers `/settle` and `/verify` with one status and body. */
async function connectTo(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return connect(await serve((_, response) => response.writeHead(status, headers).end(text)))
}

const upto = () => uptoTerms('40000', stock.address)

test('the facilitator of the SDK names its upto wallet, and is healthy', async () => {
  assert.equal(facilitator.address, stock.address.toLowerCase())
  assert.equal((await facilitator.health()).isHealthy, true)
})

test('the facilitator of the SDK verifies and settles an exact payment, without a hash beforehand', async () => {
  const earned = await stage.balanceOf(devPayTo.utility)
  assert.deepEqual(await facilitator.verify(payment, NEVER), { isValid: true })
  const { settlement, told } = await settleWhole(facilitator, payment)
  assert.equal(settlement.outcome, 'settled')
  assert.deepEqual(told, [null])
  assert.equal(await stage.balanceOf(devPayTo.utility), earned + 2237n)
  // A used nonce does not prove that another payment used it: the chain decides.
  const again = await settleWhole(facilitator, payment)
  assert.equal(again.settlement.outcome, 'unknown')
})

test('the facilitator of the SDK settles less than an upto maximum', async () => {
  const earned = await stage.balanceOf(devPayTo.utility)
  const metered = await payTerms(await stage.newPayer(), upto(), stage.chain.rpcUrl)
  assert.deepEqual(await facilitator.verify(metered, NEVER), { isValid: true })
  const { settlement } = await settleWhole(facilitator, metered, 1234n)
  assert.equal(settlement.outcome === 'settled' && settlement.amount, 1234n)
  assert.equal(await stage.balanceOf(devPayTo.utility), earned + 1234n)
})

test('the reasons of the SDK are passed on, and a missing allowance is recognized', async () => {
  const poor = await payTerms(await stage.newPayer(1n), terms)
  assert.deepEqual(await facilitator.verify(poor, NEVER), {
    isValid: false,
    reason: 'invalid_exact_evm_insufficient_balance',
    kind: 'balance',
  })
  assert.deepEqual(await facilitator.verify(await payTerms(await stage.newPayer(), upto()), NEVER), {
    isValid: false,
    reason: 'permit2_allowance_required',
    kind: 'allowance',
  })
  const forged = { ...poor, payload: { ...(poor.payload as object), payload: {} } }
  assert.deepEqual((await settleWhole(facilitator, forged)).settlement.outcome, 'unknown')
})

const HASH = `0x${'ab'.repeat(32)}`
const ANSWERS: readonly [name: string, status: number, body: unknown, expected: object][] = [
  [
    'success without a transaction',
    200,
    { success: true, transaction: '' },
    { outcome: 'unknown', transaction: null },
  ],
  [
    'a pending settlement',
    200,
    { success: false, errorReason: 'settlement_pending', transaction: HASH },
    { outcome: 'unknown', transaction: HASH, reason: 'settlement_pending' },
  ],
  [
    'a rejection before sending',
    200,
    { success: false, errorReason: 'insufficient_funds', transaction: '' },
    { outcome: 'failed', reason: 'insufficient_funds', cause: 'payer' },
  ],
  [
    'a rejection with status 400',
    400,
    { success: false, errorReason: 'invalid_exact_evm_signature', transaction: '' },
    { outcome: 'failed', reason: 'invalid_exact_evm_signature', cause: 'payer' },
  ],
  [
    'a rejection because it is late',
    200,
    { success: false, errorReason: 'permit2_deadline_expired', transaction: '' },
    { outcome: 'failed', reason: 'permit2_deadline_expired', cause: 'operator' },
  ],
  [
    'a rejection of the network',
    200,
    { success: false, errorReason: 'invalid_network', transaction: '' },
    { outcome: 'failed', reason: 'invalid_network', cause: 'operator' },
  ],
  [
    'a used nonce',
    200,
    { success: false, errorReason: 'invalid_exact_evm_nonce_already_used', transaction: '' },
    { outcome: 'unknown' },
  ],
  [
    'a failed transaction',
    200,
    { success: false, errorReason: 'invalid_exact_evm_transaction_failed', transaction: HASH },
    { outcome: 'unknown', transaction: HASH },
  ],
  [
    'an unknown reason',
    200,
    { success: false, errorReason: 'oops: <b>stack</b>', transaction: '' },
    { outcome: 'unknown', reason: 'oops' },
  ],
  ['an inner error', 500, { success: false, errorReason: 'insufficient_funds' }, { outcome: 'unknown' }],
  ['success with status 500', 500, { success: true, transaction: HASH }, { outcome: 'unknown' }],
  ['a page', 200, '<html>', { outcome: 'unknown', reason: 'facilitator_answered_200' }],
  ['an endless answer', 200, 'x'.repeat(300_000), { outcome: 'unknown', reason: 'InvalidAnswer' }],
]

for (const [name, status, body, expected] of ANSWERS)
  test(`a settlement answered by ${name} is ${'outcome' in expected ? expected.outcome : ''}`, async () => {
    const remote = await connectTo(status, body)
    assert.partialDeepStrictEqual((await settleWhole(remote, payment)).settlement, expected)
  })

test('a redirect is not followed, neither to verify nor to settle', async () => {
  const consenting = await serve((_, response) =>
    response.end(JSON.stringify({ isValid: true, success: true, transaction: HASH })),
  )
  const remote = await connectTo(308, '', { location: consenting })
  await assert.rejects(remote.verify(payment, NEVER), { name: 'InvalidAnswer' })
  assert.equal((await settleWhole(remote, payment)).settlement.outcome, 'unknown')
  assert.equal((await remote.health()).isHealthy, false)
})

test('a facilitator that does not answer leaves the settlement unknown and makes the verification throw', async () => {
  const remote = await connect(await serve(() => {}))
  assert.equal(remote.address, null)
  const [settled] = await Promise.all([
    settleWhole(remote, payment),
    assert.rejects(remote.verify(payment, NEVER), { name: 'Unreachable' }),
  ])
  assert.deepEqual(settled.settlement, { outcome: 'unknown', transaction: null, reason: 'Unreachable' })
})

test('an order that cannot be stored is never sent', async () => {
  let requests = 0
  const remote = await connect(await serve((_, response) => response.end(String(requests++))))
  requests = 0
  const beforeSend = () => Promise.reject(new Error('disk full'))
  const settlement = await remote.settle(
    { payment, amount: 2237n, isCovered: true, key: 'one-call', beforeSend },
    NEVER,
  )
  assert.deepEqual(settlement, { outcome: 'failed', reason: 'not_recorded', cause: 'operator' })
  assert.equal(requests, 0)
})

test('each request to settle a call has its key, and that another one is open leaves the outcome unknown', async () => {
  const keys: unknown[] = []
  const open = { success: false, errorReason: 'duplicate_settlement', transaction: '', network: BASE.id }
  const remote = await connect(
    await serve((request, response) => {
      if (request.url === '/settle') keys.push(request.headers['idempotency-key'])
      response.end(JSON.stringify(open))
    }),
  )
  for (let round = 0; round < 2; round += 1)
    assert.equal((await settleWhole(remote, payment)).settlement.outcome, 'unknown')
  assert.deepEqual(keys, ['one-call', 'one-call'])
})
