import assert from 'node:assert/strict'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'
import type { SignOptions } from '@tollbook/testing/payments/sign-payment'

const REFUSED: readonly [string, string, number, Parameters<typeof signs>[0]][] = [
  ['an expired authorization', 'payment_expired', 402, (now) => ({ validBefore: now - 1 })],
  ['one that is about to expire', 'payment_expired', 402, (now) => ({ validBefore: now + 3 })],
  ['one that is not valid yet', 'payment_expired', 402, (now) => ({ validAfter: now + 600 })],
  ['one with a lifetime of a year', 'payment_expired', 402, (now) => ({ validBefore: now + 31_536_000 })],
  [
    'a payment for another resource',
    'payment_invalid',
    402,
    () => ({ tamper: (payload) => ({ ...payload, resource: { url: 'https://gate.example/api/wallet' } }) }),
  ],
  [
    'a payment that was changed after signing',
    'payment_invalid',
    402,
    () => ({
      tamper: (payload) =>
        JSON.parse(
          JSON.stringify(payload).replace(
            /"nonce":"0x(.)/,
            (_, digit) => `"nonce":"0x${digit === '0' ? 1 : 0}`,
          ),
        ),
    }),
  ],
  [
    'requirements that were not offered',
    'payment_invalid',
    402,
    () => ({ tamper: (payload) => JSON.parse(JSON.stringify(payload).replaceAll('"10000"', '"1"')) }),
  ],
  [
    'x402 version 1',
    'payment_malformed',
    400,
    () => ({ tamper: (payload) => ({ ...payload, x402Version: 1 }) }),
  ],
]
function signs(options: (now: number) => SignOptions) {
  return options
}

for (const [what, code, status, options] of REFUSED) {
  inWorld(`${what} is rejected before the ledger is touched`, async (world) => {
    const { fetch, pay, link, desk } = await world.startProcess()
    const signed = options(Math.floor(world.now() / 1000))
    const payer = world.newPayer()
    const response = await fetch('/api/say?word=hi', await pay('/api/say?word=hi', payer, signed))
    assert.equal(response.status, status)
    assert.equal(await codeOf(response), code)
    if (status === 402) assert.ok(response.headers.get('payment-required'))
    assert.equal(link.verifications, 0)
    assert.equal(desk.runs, 0)
    const { count } = await world.state.db
      .selectFrom('paid_call')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('payer', '=', payer.address.toLowerCase())
      .executeTakeFirstOrThrow()
    assert.equal(count, 0)
  })
}

inWorld('headers that are not a payment are 400', async (world) => {
  const { fetch } = await world.startProcess()
  for (const header of ['', '%%%', 'bnVsbA==', 'W10=', 'e30=', 'x'.repeat(20_000)]) {
    const response = await fetch('/api/say?word=hi', { headers: { 'payment-signature': header } })
    assert.equal(response.status, 400, header.slice(0, 10))
    assert.equal(await codeOf(response), 'payment_malformed')
  }
})

inWorld('a wallet that cannot pay is rejected, and may use the same payment later', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payer = world.newPayer(9_999n)
  const payment = await pay('/api/say?word=hi', payer)
  const refused = await fetch('/api/say?word=hi', payment)
  assert.equal(refused.status, 402)
  assert.equal(await codeOf(refused), 'payment_insufficient')
  assert.equal(desk.runs, 0)
  world.chain.fund(payer.address, 10_000n)
  assert.equal((await fetch('/api/say?word=hi', payment)).status, 200)
  assert.equal(world.chain.balanceOf(payer.address), 0n)
})

inWorld('a missing Permit2 allowance is a 402 with that reason', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payer = world.newPayer()
  world.chain.noAllowance.add(payer.address.toLowerCase())
  const payment = await pay('/api/metered?word=hi', payer, { scheme: 'upto' })
  const response = await fetch('/api/metered?word=hi', payment)
  assert.equal(response.status, 402)
  assert.equal(await codeOf(response), 'allowance_required')
  assert.equal(desk.runs, 0)
})

function signedByContract(payload: Record<string, unknown>): unknown {
  const inner = payload.payload as Record<string, unknown>
  return { ...payload, payload: { ...inner, signature: `0x${'12'.repeat(100)}` } }
}

inWorld(
  'a contract wallet is verified on the chain, and its answer is not repeated without proof',
  async (world) => {
    const { fetch, pay, link, desk } = await world.startProcess()
    const path = '/api/say?word=hi'
    const payer = world.newPayer()
    world.chain.contracts.add(payer.address.toLowerCase())
    const payment = await pay(path, payer, { tamper: signedByContract })
    assert.equal((await fetch(path, payment)).status, 200)
    // Once before the reservation, once after it.
    assert.equal(link.verifications, 2)
    const again = await fetch(path, payment)
    assert.equal(again.status, 403)
    assert.equal(await codeOf(again), 'payer_proof_required')
    assert.equal(desk.runs, 1)
  },
)

inWorld(
  'a signature that only a contract could have made is rejected for a wallet without code',
  async (world) => {
    const { fetch, pay, link } = await world.startProcess()
    const path = '/api/say?word=hi'
    const response = await fetch(path, await pay(path, world.newPayer(), { tamper: signedByContract }))
    assert.equal(response.status, 402)
    assert.equal(await codeOf(response), 'payment_invalid')
    assert.equal(link.verifications, 0)
  },
)

inWorld('the body of a rate-limited request is not read unless its payment verifies', async (world) => {
  const { fetch, pay, desk } = await world.startProcess({}, 1)
  const { headers } = await pay('/api/say?word=a', world.newPayer(0n))
  // This body never ends: reading it would wait forever.
  const body = new ReadableStream({})
  const typed = { ...headers, 'content-type': 'application/json' }
  const init = { method: 'POST', headers: typed, body, duplex: 'half' } as RequestInit
  assert.equal(await codeOf(await fetch('/api/say', init)), 'rate_limited')
  assert.equal(desk.runs, 0)
})
