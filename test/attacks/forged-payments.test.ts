import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Hex } from 'viem'
import type { PaymentRequired } from '../../src/catalogue/payment-required.ts'
import { DEV_CLIENT_ADDRESSES } from '../../src/devchain/accounts.ts'
import { BASE } from '../../src/money/base.ts'
import { signPayment } from '../payments/sign-payment.ts'
import { CENT } from './desk.ts'
import { type Customer, closePayment, openPayment, openShop, refusalOf, type Shop } from './shop.ts'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'
const RICH_WALLET = DEV_CLIENT_ADDRESSES[0]
/** The order of secp256k1. */
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')

let shop: Shop
let payer: Customer
let offered: PaymentRequired
before(async () => {
  shop = await openShop()
  payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  offered = await shop.challenge(PATH)
})
after(() => shop?.close())

type Payment = ReturnType<typeof openPayment>

type Change = {
  readonly accepted?: Record<string, unknown>
  readonly authorization?: Partial<Payment['payload']['authorization']>
  readonly resource?: Record<string, unknown>
  readonly extensions?: Record<string, unknown>
  readonly sign?: (signature: Hex) => string
}

/** A good payment of a cent with some of its fields replaced after it was signed. */
async function changed({ sign = (signature) => signature, ...change }: Change): Promise<string> {
  const payment = openPayment(await signPayment(payer, offered))
  const { signature, authorization } = payment.payload
  return closePayment({
    ...payment,
    accepted: { ...payment.accepted, ...change.accepted },
    resource: { ...payment.resource, ...change.resource },
    extensions: { ...payment.extensions, ...change.extensions },
    payload: { signature: sign(signature), authorization: { ...authorization, ...change.authorization } },
  })
}

/** A payment that is signed over other terms than those offered, which it then claims to accept. */
async function signedOver(terms: Record<string, unknown>, accepted?: unknown): Promise<string> {
  const [exact] = offered.accepts
  const other = { ...offered, accepts: [{ ...exact, ...terms }] } as unknown as PaymentRequired
  const payment = openPayment(await signPayment(payer, other))
  return closePayment({ ...payment, ...(accepted ? { accepted } : {}) })
}

async function assertRefused(path: string, header: string, codes: readonly string[], name: string) {
  const [wallet, runs] = [await shop.balanceOf(payer.address), shop.desk.runs]
  const response = await shop.ask(path, header)
  const code = await refusalOf(response)
  assert.ok(codes.includes(code), `${name}: ${code}`)
  assert.equal(response.headers.get('payment-response'), null, name)
  assert.equal(shop.desk.runs, runs, `${name}: a handler ran`)
  assert.equal(await shop.balanceOf(payer.address), wallet, `${name}: money moved`)
}

/** Rows of the nonce ledger. */
async function ledgerRows(): Promise<number> {
  const rows = await shop.seller.state.db.selectFrom('paid_call').select('id').execute()
  return rows.length
}

test('a payment of other terms than those offered is refused and never reaches the ledger', async () => {
  const [exact] = offered.accepts
  const cheap = '1'
  const forged: Record<string, string> = {
    'a lower price accepted': await changed({ accepted: { amount: cheap } }),
    'a lower price accepted and signed': await signedOver({ amount: cheap }),
    'a lower price signed': await signedOver({ amount: cheap }, exact),
    'a higher price signed': await signedOver({ amount: '20000' }, exact),
    'the price as a number': await changed({ accepted: { amount: Number(CENT) } }),
    'the price with a sign': await changed({ accepted: { amount: `+${CENT}` } }),
    'the own wallet as payTo': await signedOver({ payTo: payer.address }),
    'the own wallet as payTo, hidden': await signedOver({ payTo: payer.address }, exact),
    'another token': await signedOver({ asset: RICH_WALLET }),
    'another token, hidden': await signedOver({ asset: RICH_WALLET }, exact),
    'a test network': await signedOver({ network: 'eip155:84532' }),
    'the network by its old name': await changed({ accepted: { network: 'base' } }),
    'the token name of the test network': await signedOver({ extra: { name: 'USDC', version: '2' } }, exact),
    'a lifetime of a year': await changed({ accepted: { maxTimeoutSeconds: 31_536_000 } }),
    'upto where exact is offered': await changed({ accepted: { scheme: 'upto' } }),
    'a further term': await changed({ accepted: { discount: '100%' } }),
    'a flow that was not offered': await changed({
      accepted: { extra: { ...exact?.extra, paymentFlow: 'upfront' } },
    }),
    'no terms': closePayment({ ...openPayment(await signPayment(payer, offered)), accepted: {} }),
    'the terms of another resource': await changed({ resource: { url: `${shop.seller.url}/test/twin` } }),
    'the terms of another host': await changed({ resource: { url: 'https://shop.example/test/good' } }),
    'an extension rewritten': await changed({
      extensions: { 'payment-identifier': { info: { required: true } } },
    }),
  }
  const rows = await ledgerRows()
  for (const [name, header] of Object.entries(forged))
    await assertRefused(PATH, header, ['payment_invalid'], name)
  assert.equal(await ledgerRows(), rows)
})

test('upto terms cannot be rewritten either', async () => {
  const terms = await shop.challenge(METERED)
  const [upto] = terms.accepts
  const over = async (further: Record<string, unknown>, accepted?: unknown) => {
    const other = { ...terms, accepts: [{ ...upto, ...further }] } as unknown as PaymentRequired
    return closePayment({
      ...openPayment(await signPayment(payer, other)),
      ...(accepted ? { accepted } : {}),
    })
  }
  const named = (facilitatorAddress: string) => ({ extra: { ...upto?.extra, facilitatorAddress } })
  const forged: Record<string, string> = {
    'a lower maximum': await over({ amount: '1' }),
    'a lower maximum, hidden': await over({ amount: '1' }, upto),
    'the own wallet as payTo, hidden': await over({ payTo: payer.address }, upto),
    'another facilitator': await over(named(payer.address)),
    'another facilitator, hidden': await over(named(payer.address), upto),
    'another token, hidden': await over({ asset: RICH_WALLET }, upto),
    'an exact payment': await signPayment(payer, offered),
    'an exact payment under upto terms': closePayment({
      ...openPayment(await signPayment(payer, offered)),
      accepted: upto,
    }),
  }
  const rows = await ledgerRows()
  for (const [name, header] of Object.entries(forged))
    await assertRefused(METERED, header, ['payment_invalid', 'payment_malformed'], name)
  assert.equal(await ledgerRows(), rows)
})

test('a signature that is not the payer’s own is refused and never reaches the ledger', async () => {
  const other = await shop.newPayer()
  const s = (signature: Hex) => BigInt(`0x${signature.slice(66, 130)}`)
  const twin = (signature: Hex): Hex => {
    const high = (ORDER - s(signature)).toString(16).padStart(64, '0')
    return `${signature.slice(0, 66)}${high}${signature.endsWith('1b') ? '1c' : '1b'}` as Hex
  }
  const sign = (change: (signature: Hex) => string) => changed({ sign: change })
  const otherSigned = openPayment(await signPayment(other, offered)).payload.signature
  const forged: Record<string, string> = {
    'the twin with a high s': await sign(twin),
    'the signature of another wallet': await sign(() => otherSigned),
    'v as 0 and 1': await sign((text) => `${text.slice(0, 130)}${text.endsWith('1b') ? '00' : '01'}`),
    'v of the other point': await sign((text) => `${text.slice(0, 130)}${text.endsWith('1b') ? '1c' : '1b'}`),
    'sixty-four bytes': await sign((text) => text.slice(0, 130)),
    'one byte more': await sign((text) => `${text}00`),
    'one byte': await sign(() => '0x00'),
    zeros: await sign(() => `0x${'00'.repeat(64)}1b`),
    'all ones': await sign(() => `0x${'ff'.repeat(64)}1c`),
    'the payment of a richer wallet': await changed({ authorization: { from: RICH_WALLET } }),
    'a nonce changed': await changed({ authorization: { nonce: `0x${'11'.repeat(32)}` } }),
    'an end changed': await changed({
      authorization: { validBefore: `${Math.floor(Date.now() / 1000) + 55}` },
    }),
    'a wallet that would be deployed by a factory of its own': await sign(
      (text) => `0x${factoryCall(payer.address, text)}${'6492'.repeat(16)}`,
    ),
  }
  const rows = await ledgerRows()
  for (const [name, header] of Object.entries(forged))
    await assertRefused(PATH, header, ['payment_invalid'], name)
  assert.equal(await ledgerRows(), rows)
  assert.equal(await shop.balanceOf(RICH_WALLET), 1_000_000_000n)
})

/** abi.encode(factory, calldata, signature) as ERC-6492 wraps it. */
function factoryCall(factory: string, signature: string): string {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const padded = signature.slice(2).padEnd(192, '0')
  return [factory.slice(2).padStart(64, '0'), word(96), word(128), word(0), word(65), padded].join('')
}

test('a payment outside its lifetime, or with too long a one, is refused', async () => {
  const now = Math.floor(Date.now() / 1000)
  const most = offered.accepts[0]?.maxTimeoutSeconds ?? 0
  const outside: Record<string, { validBefore: number; validAfter?: number }> = {
    'it has ended': { validBefore: now - 10 },
    'it is about to end': { validBefore: now + 2 },
    'it has not begun': { validAfter: now + 3600, validBefore: now + most },
    'it ends before it begins': { validAfter: now + 50, validBefore: now + 40 },
    'it lives for a year': { validBefore: now + 31_536_000 },
    'it lives two minutes longer than offered': { validBefore: now + most + 120 },
    'it lives for ever': { validBefore: Number.MAX_SAFE_INTEGER },
  }
  for (const [name, lifetime] of Object.entries(outside)) {
    await assertRefused(PATH, await signPayment(payer, offered, lifetime), ['payment_expired'], name)
    const upto = await shop.sign(payer, METERED, { ...lifetime, validAfter: lifetime.validAfter ?? 0 })
    await assertRefused(METERED, upto, ['payment_expired'], `${name} (upto)`)
  }
})

test('a wallet that does not hold the amount is refused before any handler runs', async () => {
  const poor = await shop.newPayer(CENT - 1n)
  const response = await shop.ask(PATH, await signPayment(poor, offered))
  assert.equal(await refusalOf(response), 'payment_insufficient')
  assert.equal(shop.desk.runs, 0)
})

test('version 1 is neither spoken in its own header nor in that of version 2', async () => {
  const payment = openPayment(await signPayment(payer, offered))
  const { scheme, network } = offered.accepts[0] ?? {}
  const first = { x402Version: 1, scheme, network, payload: payment.payload }
  const inNewHeader: Record<string, string> = {
    'the envelope of version 1': closePayment(first),
    'the same on base': closePayment({ ...first, network: 'base' }),
    'version 1 on the envelope of version 2': closePayment({ ...payment, x402Version: 1 }),
    'version 2 as a text': closePayment({ ...payment, x402Version: '2' }),
    'version 3': closePayment({ ...payment, x402Version: 3 }),
    'no version': closePayment({ ...payment, x402Version: undefined }),
  }
  for (const [name, header] of Object.entries(inNewHeader))
    await assertRefused(PATH, header, ['payment_malformed'], name)

  for (const envelope of [first, payment]) {
    const response = await shop.ask(PATH, undefined, { headers: { 'x-payment': closePayment(envelope) } })
    assert.equal(response.status, 402)
    assert.equal(await refusalOf(response), 'payment_required')
  }
  assert.equal(shop.desk.runs, 0)
  assert.equal(BASE.network, network)
})

test('the very payment that was forged above is taken when nothing is changed', async () => {
  const before = await shop.earned()
  const response = await shop.ask(PATH, await changed({}))
  assert.equal(response.status, 200)
  assert.equal((await shop.earned()) - before, CENT)
})
