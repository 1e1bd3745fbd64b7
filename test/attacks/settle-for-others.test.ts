import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { CENT } from '@tollbook/testing/paying/desk'
import { type Customer, openPayment, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { startFacilitator, type TestFacilitator } from '../facilitator/facilitator-stage.ts'
import { countPending, drainInFront, gasBurnt, raceInBlock } from './block-race.ts'
import {
  changePayment,
  forgeSignatures,
  forgeSignedTerms,
  forgeUptoTerms,
  lifetimesOutside,
} from './forge-payments.ts'
import { hostileCode } from './hostile-code.ts'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'
/** As in gas-drain.test.ts. */
const MAX_BURNT_BY_CODE = 500_000n
const MAX_BURNT = 2_000_000n

let shop: Shop
let facilitator: TestFacilitator
let payer: Customer
let offered: PaymentRequired
before(async () => {
  shop = await openShop({ hasOwnBlocks: true })
  const { chain, state } = shop.seller
  const settings = { TOLLBOOK_UNPAID_PER_MINUTE: '100000', TOLLBOOK_FACILITATOR_GAS_PER_PAYEE: '0' }
  facilitator = await startFacilitator({ access: toAccess(chain.rpcUrl), state }, null, { settings })
  payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  offered = await shop.challenge(PATH)
})
after(async () => {
  await facilitator?.close()
  await shop?.close()
})

const forger = () => ({ payer, offered, url: shop.seller.url })

/** The body of a request for the value of a payment header. */
function toBody(header: string, [paymentRequirements] = offered.accepts) {
  return { x402Version: 2, paymentPayload: openPayment(header), paymentRequirements }
}

/** The same authorization in version 1. */
function toBodyV1(header: string, [terms] = offered.accepts) {
  const { payload } = openPayment(header)
  const { amount: maxAmountRequired, ...others } = terms ?? assert.fail()
  return {
    x402Version: 1,
    paymentPayload: { x402Version: 1, scheme: 'exact', network: 'base', payload },
    paymentRequirements: { ...others, network: 'base', maxAmountRequired },
  }
}

async function read(): Promise<object> {
  const rows = await shop.seller.state.db.selectFrom('paid_call').select('id').execute()
  return { rows: rows.length, held: await shop.balanceOf(payer.address), earned: await shop.earned() }
}

/** Each is refused in each version by both endpoints, and leaves neither a row nor a transaction. */
async function assertRefused(forged: Readonly<Record<string, object>>): Promise<void> {
  const before = await read()
  const gas = await gasBurnt(shop.seller.chain, async () => {
    for (const [name, body] of Object.entries(forged))
      for (const path of ['/verify', '/settle'] as const) {
        const answer = await facilitator.post(path, body)
        assert.ok([200, 400].includes(answer.status), `${path} ${name}: ${answer.status}`)
        assert.equal(answer.body[path === '/verify' ? 'isValid' : 'success'], false, `${path} ${name}`)
      }
  })
  assert.equal(gas, 0n)
  assert.deepEqual(await read(), before)
}

const inBothVersions = (forged: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(forged).flatMap(([name, header]) => [
      [name, toBody(header)],
      [`${name} (version 1)`, toBodyV1(header)],
    ]),
  )

test("signatures that are not the payer's, or over other terms, are refused", async () => {
  await assertRefused(inBothVersions(await forgeSignatures(forger(), await shop.newPayer())))
  await assertRefused(inBothVersions(await forgeSignedTerms(forger())))
})

test('payments outside their validity period, or with too long a period, are refused', async () => {
  const forged: Record<string, string> = {}
  for (const [name, lifetime] of Object.entries(lifetimesOutside(offered)))
    forged[name] = await signPayment(payer, offered, lifetime)
  await assertRefused(inBothVersions(forged))
})

test('upto payments over other terms, or for another facilitator, are refused', async () => {
  const metered = await shop.challenge(METERED)
  const terms = metered.accepts.filter(({ scheme }) => scheme === 'upto')
  const forged = await forgeUptoTerms({ ...forger(), offered: metered }, offered)
  await assertRefused(
    Object.fromEntries(Object.entries(forged).map(([name, header]) => [name, toBody(header, terms)])),
  )
})

test('one authorization, however it is written and however often it is sent, moves money once', async () => {
  const header = await signPayment(payer, offered)
  const loud = JSON.parse(JSON.stringify(toBody(header)))
  const { authorization } = loud.paymentPayload.payload
  for (const name of ['from', 'to', 'nonce'])
    authorization[name] = `0x${authorization[name].slice(2).toUpperCase()}`
  const bodies = [toBody(header), toBodyV1(header), loud, { ...toBody(header), more: 1 }]
  const held = await shop.balanceOf(payer.address)
  const post = (headers: Record<string, string>) =>
    Promise.all([...bodies, ...bodies].map((body) => facilitator.post('/settle', body, headers)))
  const ofSeller = await post({ 'idempotency-key': 'a-sellers-own-key-1' })
  const hashes = new Set(ofSeller.map(({ body }) => body.transaction))
  assert.ok(ofSeller.every(({ body }) => body.success === true))
  assert.equal(hashes.size, 1)
  assert.ok((await post({})).every(({ body }) => body.success === false))
  assert.equal(held - (await shop.balanceOf(payer.address)), BigInt(CENT))
})

test('of authorizations with one nonce, for several payees at once, one moves money', async () => {
  const nonce = `0x${'4b'.repeat(32)}` as const
  const [terms = assert.fail()] = offered.accepts
  const payees = ['61', '62', '63'].map((byte) => `0x${byte.repeat(20)}` as const)
  const held = await shop.balanceOf(payer.address)
  const bodies = await Promise.all(
    payees.map(async (payTo) => {
      const accepts = [{ ...terms, payTo }]
      return toBody(await signPayment(payer, { ...offered, accepts }, { nonce }), accepts)
    }),
  )
  const settled: unknown[] = []
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(bodies.map((body) => facilitator.post('/settle', body)))
    const paid = await Promise.all(payees.map(shop.balanceOf))
    assert.equal(held - (await shop.balanceOf(payer.address)), BigInt(CENT))
    assert.equal(paid.filter((amount) => amount > 0n).length, 1)
    const refused = answers.filter(({ body }) => body.success === false)
    settled.push(...answers.filter((answer) => !refused.includes(answer)))
    for (const { body } of refused)
      assert.match(String(body.errorReason), /^(duplicate_settlement|invalid_exact_evm_nonce_already_used)$/)
  }
  assert.equal(settled.length, 1)
})

test('one nonce signed for a seller here and for another payee at once pays one of them', async () => {
  const [terms = assert.fail()] = offered.accepts
  const other = `0x${'64'.repeat(20)}` as const
  for (let round = 0; round < 4; round += 1) {
    // The one that reverts bars its wallet.
    const payer = await shop.newPayer()
    const nonce = `0x${`5${round}`.repeat(32)}` as const
    const accepts = [{ ...terms, payTo: other }]
    const body = toBody(await signPayment(payer, { ...offered, accepts }, { nonce }), accepts)
    const header = await signPayment(payer, offered, { nonce })
    const before = [await shop.earned(), await shop.balanceOf(other)] as const
    const [served, settled] = await Promise.all([shop.ask(PATH, header), facilitator.post('/settle', body)])
    const paid = [(await shop.earned()) - before[0], (await shop.balanceOf(other)) - before[1]]
    const answers = [served.status === 200, settled.body.success === true]
    assert.deepEqual(
      paid,
      answers.map((isPaid) => (isPaid ? BigInt(CENT) : 0n)),
    )
    assert.equal(answers.filter(Boolean).length, 1)
  }
})

/**
 * Settles for a wallet with this code, by default a new one, whose own key signs.
 * @param sign replaces the signature by one that only the code could accept.
 * @returns the reason of the refusal
 */
async function attack(code: `0x${string}`, wallet?: Customer, sign?: () => string): Promise<unknown> {
  const hostile = wallet ?? (await shop.newPayer())
  await shop.seller.chain.rpc.call('anvil_setCode', [hostile.address, code])
  const header = await changePayment({ ...forger(), payer: hostile }, sign ? { sign } : {})
  const { body } = await facilitator.post('/settle', toBody(header))
  assert.equal(body.success, false)
  return body.errorReason
}

async function assertHonestServed(): Promise<void> {
  const { body } = await facilitator.post(
    '/settle',
    toBody(await signPayment(await shop.newPayer(), offered)),
  )
  assert.equal(body.success, true)
}

test('wallets of one code that pays only in simulations are stopped at a bound, also at once', async (t) => {
  const code = hostileCode(3_000)
  const reasons: unknown[] = []
  const burnt = await gasBurnt(shop.seller.chain, async () => {
    for (let times = 0; times < 4; times += 1) reasons.push(await attack(code))
    const wallets: Customer[] = []
    while (wallets.length < 8) wallets.push(await shop.newPayer())
    const ofContract = () => `0x${'11'.repeat(100)}`
    reasons.push(
      ...(await Promise.all(
        wallets.map((wallet, at) => attack(code, wallet, at % 2 ? ofContract : undefined)),
      )),
    )
  })
  t.diagnostic(`12 wallets burnt ${burnt} gas`)
  assert.ok(burnt > 0n && burnt <= MAX_BURNT_BY_CODE, `${burnt} gas`)
  assert.equal(reasons.at(-1), 'contract_wallet_refused')
  await assertHonestServed()
})

test('variants of such code are stopped at a bound too, and code above it never runs', async (t) => {
  const reasons: unknown[] = []
  const burnt = await gasBurnt(shop.seller.chain, async () => {
    for (let times = 0; times < 24; times += 1) reasons.push(await attack(hostileCode(3_000, true)))
  })
  t.diagnostic(`24 variants burnt ${burnt} gas`)
  assert.ok(burnt <= MAX_BURNT, `${burnt} gas`)
  assert.equal(reasons.at(-1), 'contract_wallet_refused')
  assert.equal(await gasBurnt(shop.seller.chain, () => attack(hostileCode(23_000))), 0n)
  await assertHonestServed()
})

test('a wallet emptied in the block of its settlements burns the gas of one, and is barred', async (t) => {
  const { chain } = shop.seller
  let gas = 0n
  let poor = payer
  // If the wallet is emptied before, nothing is sent.
  while (gas === 0n) {
    poor = await shop.newPayer(16n * BigInt(CENT))
    const bodies = await Promise.all(
      Array.from({ length: 16 }, async () => toBody(await signPayment(poor, offered))),
    )
    const settle = () => Promise.all(bodies.map((body) => facilitator.post('/settle', body)))
    const empty = () => drainInFront(chain, poor.key, 16n * BigInt(CENT))
    gas = await gasBurnt(chain, () =>
      raceInBlock(chain, settle, empty, async () => (await countPending(chain)) > 0),
    )
  }
  t.diagnostic(`16 settlements burnt ${gas} gas`)
  assert.ok(gas < 80_000n, `${gas} gas`)
  await chain.fundUsdc(poor.address, BigInt(CENT))
  const { body } = await facilitator.post('/settle', toBody(await signPayment(poor, offered)))
  assert.deepEqual([body.success, body.errorReason], [false, 'wallet_barred'])
  await assertHonestServed()
})
