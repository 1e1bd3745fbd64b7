import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { exactTerms, makeExact, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { privateKeyToAddress } from 'viem/accounts'
import { startFacilitator, type TestFacilitator, toBody, toBodyV1 } from './facilitator-stage.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
const OTHER = `0x${'6e'.repeat(20)}` as const
const terms = exactTerms('1500', { payTo: SELLER })
const now = () => Math.floor(Date.now() / 1000)
let stage: SettlementStage
let facilitator: TestFacilitator
let payer: `0x${string}`
before(async () => {
  stage = await openSettlementStage()
  facilitator = await startFacilitator(stage, null)
  payer = await stage.newPayer()
})
after(async () => {
  await facilitator.close()
  await stage.close()
})

type Body = ReturnType<typeof toBody>
/** Changes a request of version 2 and sends it to both endpoints. */
async function offer(change: (body: Body) => unknown): Promise<readonly [unknown, unknown]> {
  const body = toBody(await makeExact(payer, terms))
  const changed = (change(body) ?? body) as Body
  const [verified, settled] = [
    await facilitator.post('/verify', changed),
    await facilitator.post('/settle', changed),
  ]
  assert.deepEqual([verified.status, settled.status], [200, 200])
  assert.deepEqual([verified.body.isValid, settled.body.success], [false, false])
  assert.equal(settled.body.transaction, '')
  assert.equal(verified.body.invalidReason, settled.body.errorReason)
  return [verified.body.invalidReason, settled.body.errorReason]
}

const ATTACKS: readonly [string, RegExp, (body: Body) => unknown][] = [
  ['another payee', /recipient_mismatch/, (body) => set(body.paymentRequirements, 'payTo', OTHER)],
  ['a higher price', /value_mismatch/, (body) => set(body.paymentRequirements, 'amount', '1501')],
  ['a lower price', /value_mismatch/, (body) => set(body.paymentRequirements, 'amount', '1499')],
  ['no price', /invalid_payment_requirements/, (body) => set(body.paymentRequirements, 'amount', '0')],
  ['another network', /invalid_network/, (body) => set(body.paymentRequirements, 'network', 'eip155:84532')],
  ['another asset', /unsupported_asset/, (body) => set(body.paymentRequirements, 'asset', OTHER)],
  ['another scheme', /unsupported_scheme/, (body) => set(body.paymentRequirements, 'scheme', 'upto')],
  ['another version', /invalid_x402_version/, (body) => ({ ...body, x402Version: 1 })],
  ['a forged signature', /signature/, (body) => set(inner(body), 'signature', `0x${'11'.repeat(64)}1b`)],
  [
    'another nonce under the signature',
    /signature/,
    (body) => set(inner(body).authorization as object, 'nonce', `0x${'77'.repeat(32)}`),
  ],
  [
    'another payer under the signature',
    /signature/,
    (body) => set(inner(body).authorization as object, 'from', DEV_CLIENT_ADDRESSES[0]),
  ],
]
for (const [name, reason, change] of ATTACKS)
  test(`${name} is refused by both endpoints`, async () => {
    assert.match(String((await offer(change))[1]), reason)
  })

test('a wrong signature has the reason of its scheme and version', async () => {
  const signature = `0x${'11'.repeat(64)}1b` as const
  const forged = await makeExact(payer, terms, { signature })
  const { body } = await facilitator.post('/settle', toBody(forged))
  assert.equal(body.errorReason, 'invalid_exact_evm_signature')
  for (const path of ['/verify', '/settle'] as const) {
    const { body } = await facilitator.post(path, toBodyV1(forged))
    assert.equal(body.invalidReason ?? body.errorReason, 'invalid_exact_evm_payload_signature')
  }
  const upto = await payTerms(payer, { ...uptoTerms('3000'), payTo: SELLER })
  set((upto.payload as { payload: object }).payload, 'signature', signature)
  assert.equal((await facilitator.settle(upto)).errorReason, 'invalid_permit2_signature')
  assert.equal((await facilitator.verify(upto)).invalidReason, 'invalid_permit2_signature')
})

test('an expired payment, one that is not valid yet, and one of an empty wallet are refused', async () => {
  const poor = await stage.newPayer(1499n)
  for (const [payment, reason] of [
    [await makeExact(payer, terms, { validBefore: now() - 1 }), /valid_before/],
    [await makeExact(payer, terms, { validAfter: now() + 30, validBefore: now() + 50 }), /valid_after/],
    [await makeExact(payer, terms, { validBefore: now() + 3_600 }), /lifetime_too_long/],
    [await makeExact(poor, terms), /insufficient_balance/],
  ] as const) {
    assert.match(String((await facilitator.verify(payment)).invalidReason), reason)
    const settled = await facilitator.settle(payment)
    assert.equal(settled.success, false)
    assert.match(String(settled.errorReason), reason)
  }
})

test('upto for another facilitator is refused', async () => {
  const body = toBody(await makeExact(payer, terms))
  const elsewhere = { ...uptoTerms('1500', OTHER), payTo: SELLER }
  set(body, 'paymentRequirements', elsewhere)
  set(body.paymentPayload, 'accepted', elsewhere)
  const { status } = await facilitator.post('/settle', body)
  assert.equal(status, 400, 'the payload of exact is none of upto')
})

test('malformed and oversized bodies are refused with status 400 and 413, in the form of x402 clients', async () => {
  const good = toBody(await makeExact(payer, terms))
  const malformed: unknown[] = [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    {},
    { ...good, paymentPayload: null },
    { ...good, paymentPayload: { x402Version: 3 } },
    { ...good, paymentRequirements: [] },
    { ...good, paymentRequirements: { ...good.paymentRequirements, amount: 1500 } },
    { ...good, paymentRequirements: { ...good.paymentRequirements, amount: '-1' } },
    { ...good, paymentRequirements: { ...good.paymentRequirements, payTo: 'me' } },
    { ...good, paymentRequirements: { ...good.paymentRequirements, maxTimeoutSeconds: 1e300 } },
    { ...good, paymentPayload: { ...good.paymentPayload, payload: { signature: 'zz' } } },
    { ...good, paymentPayload: { ...good.paymentPayload, accepted: 7 } },
    { ...toBodyV1(await makeExact(payer, terms)), paymentPayload: { x402Version: 1 } },
  ]
  const deep = `{"paymentPayload":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
  const large = { ...good, more: 'x'.repeat(100_000) }
  const refused = [...malformed, deep].map((body) => [400, body] as const)
  for (const [expected, sent] of [...refused, [413, large] as const]) {
    const where = JSON.stringify(sent).slice(0, 80)
    const [verified, settled] = [
      await facilitator.post('/verify', sent),
      await facilitator.post('/settle', sent),
    ]
    assert.deepEqual([verified.status, settled.status], [expected, expected], where)
    assert.equal(verified.body.isValid, false, where)
    assert.equal(verified.body.invalidReason, settled.body.errorReason, where)
    assert.match(String(verified.body.invalidReason), /^invalid_(payload|payment_requirements|x402_version)$/)
    assert.equal(typeof verified.body.invalidMessage, 'string', where)
    const { success, transaction, network, errorMessage } = settled.body
    assert.deepEqual([success, transaction, typeof errorMessage], [false, '', 'string'], where)
    assert.match(String(network), /^(eip155:8453|base)$/)
  }
  const unknown = { ...good, paymentPayload: { ...good.paymentPayload, x402Version: 3 } }
  assert.equal((await facilitator.post('/verify', unknown)).body.invalidReason, 'invalid_x402_version')
  await assert.rejects(
    facilitator.client.verify({ ...good.paymentPayload, x402Version: 3 }, good.paymentRequirements),
    { name: 'VerifyError', invalidReason: 'invalid_x402_version' },
  )
  const settled = await facilitator.post('/settle', {
    ...good,
    paymentPayload: { ...good.paymentPayload, payload: {} },
  })
  assert.deepEqual([settled.body.success, settled.body.errorReason], [false, 'invalid_payload'])
})

test('a payment that was already settled by someone else is answered with that transaction', async () => {
  const payment = await makeExact(await stage.newPayer(), terms)
  const direct = await stage.openFacilitator()
  const settlement = await direct.settle(
    { payment, amount: 1500n, isCovered: true, key: 'one-call', beforeSend: async () => {} },
    new AbortController().signal,
  )
  assert.equal(settlement.outcome, 'settled')
  const answer = await facilitator.settle(payment)
  assert.deepEqual(
    [answer.success, answer.transaction],
    [true, settlement.outcome === 'settled' ? settlement.transaction : ''],
  )
})

test('with API keys, only their holders are served; addresses and payees are limited', async (t) => {
  const key = 'a-key-of-16-characters'
  const closed = await startFacilitator(stage, t, { settings: { TOLLBOOK_FACILITATOR_API_KEYS: key } })
  const body = toBody(await makeExact(payer, terms))
  // RFC 9110, section 15.5.2; RFC 6750, section 3.
  for (const [headers, challenge] of [
    [{}, /^Bearer realm="[^"]+"$/],
    [{ authorization: `Bearer ${key}x` }, /^Bearer realm="[^"]+", error="invalid_token"$/],
  ] as const)
    for (const path of ['/verify', '/settle'] as const) {
      const refused = await closed.post(path, body, headers)
      assert.deepEqual([refused.status, refused.body.code], [401, 'api_key_required'])
      assert.match(refused.headers.get('www-authenticate') ?? '', challenge)
    }
  const answer = await closed.post('/settle', body, { authorization: `Bearer ${key}` })
  assert.deepEqual([answer.status, answer.body.success], [200, true])

  const strict = await startFacilitator(stage, t, { settings: { TOLLBOOK_FACILITATOR_PAYEES: OTHER } })
  assert.equal((await strict.verify(await makeExact(payer, terms))).invalidReason, 'payee_not_allowed')
  const allowed = await makeExact(payer, { ...terms, payTo: OTHER })
  assert.equal((await strict.settle(allowed)).success, true)

  const screened = await startFacilitator(stage, t, { settings: { TOLLBOOK_FACILITATOR_REFUSED: SELLER } })
  assert.equal((await screened.settle(await makeExact(payer, terms))).errorReason, 'address_refused')
})

test('guesses of API keys are limited by address', async (t) => {
  const key = 'a-key-of-16-characters'
  const settings = { TOLLBOOK_FACILITATOR_API_KEYS: key, TOLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
  const closed = await startFacilitator(stage, t, { settings })
  const body = toBody(await makeExact(payer, terms))
  const askFrom = async (address: string, sent: string) => {
    const headers = { authorization: `Bearer ${sent}`, 'x-forwarded-for': address }
    return closed.post('/verify', body, headers)
  }
  const statuses: number[] = []
  // Ten guesses a minute: after this many, one address has used up its budget on any machine that is not a minute slow.
  while (statuses.at(-1) !== 429 && statuses.length < 100)
    statuses.push((await askFrom('198.51.100.2', `${key}${statuses.length}`)).status)
  assert.equal(statuses.at(-1), 429, `${statuses}`)
  const right = await askFrom('198.51.100.2', key)
  assert.equal(right.status, 429)
  assert.match(right.headers.get('retry-after') ?? '', /^\d+$/)
  for (let round = 0; round < 30; round += 1)
    assert.equal((await askFrom('198.51.100.3', key)).body.isValid, true)
})

test('requests that settle cost their address nothing; others are limited', async (t) => {
  const few = await startFacilitator(stage, t, { settings: { TOLLBOOK_UNPAID_PER_MINUTE: '6' } })
  for (let round = 0; round < 12; round += 1) {
    const payment = await makeExact(await stage.newPayer(), terms)
    assert.equal((await few.verify(payment)).isValid, true)
    assert.equal((await few.settle(payment)).success, true)
  }
  const statuses: number[] = []
  const forged = toBody(await makeExact(payer, terms, { signature: `0x${'11'.repeat(64)}1b` }))
  for (let round = 0; round < 8; round += 1) statuses.push((await few.post('/verify', forged)).status)
  assert.ok(statuses.includes(429), statuses.join())
})

test('a payment from a wallet to itself is refused', async () => {
  const key = await stage.newPayer()
  const payTo = privateKeyToAddress(key)
  const payment = await makeExact(key, { ...terms, payTo })
  assert.equal((await facilitator.verify(payment)).invalidReason, 'payer_is_payee')
  assert.equal((await facilitator.settle(payment)).errorReason, 'payer_is_payee')
})

test('a payee that has used up its gas is refused until the next hour; others are served', async (t) => {
  const payTo = `0x${'7e'.repeat(20)}` as const
  const thrifty = await startFacilitator(stage, t, {
    settings: { TOLLBOOK_FACILITATOR_GAS_PER_PAYEE: '100000' },
  })
  const reasons: unknown[] = []
  for (let round = 0; round < 4; round += 1) {
    const payment = await makeExact(await stage.newPayer(), { ...terms, payTo })
    const { body } = await thrifty.post('/settle', toBody(payment))
    reasons.push(body.success === true ? 'settled' : body.errorReason)
  }
  assert.equal(reasons[0], 'settled')
  assert.equal(reasons.at(-1), 'payee_gas_spent')
  const other = { ...terms, payTo: `0x${'7f'.repeat(20)}` } as const
  assert.equal((await thrifty.settle(await makeExact(await stage.newPayer(), other))).success, true)
})

function set(target: object, name: string, value: unknown): void {
  Object.assign(target, { [name]: value })
}

function inner({ paymentPayload }: Body): Record<string, unknown> {
  return paymentPayload.payload as Record<string, unknown>
}
