import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { CENT } from '@tollbook/testing/paying/desk'
import {
  type Customer,
  closePayment,
  openPayment,
  openShop,
  refusalOf,
  type Shop,
} from '@tollbook/testing/paying/shop'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import {
  changePayment,
  forgeSignatures,
  forgeTerms,
  forgeUptoTerms,
  lifetimesOutside,
  RICH_WALLET,
} from './forge-payments.ts'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'

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

const forger = () => ({ payer, offered, url: shop.seller.url })

async function assertRefused(path: string, header: string, codes: readonly string[], name: string) {
  const [wallet, runs] = [await shop.balanceOf(payer.address), shop.desk.runs]
  const response = await shop.ask(path, header)
  const code = await refusalOf(response)
  assert.ok(codes.includes(code), `${name}: ${code}`)
  assert.equal(response.headers.get('payment-response'), null, name)
  assert.equal(shop.desk.runs, runs, `${name}: a handler ran`)
  assert.equal(await shop.balanceOf(payer.address), wallet, `${name}: money moved`)
}

/** Rows of the table of calls. */
async function ledgerRows(): Promise<number> {
  const rows = await shop.seller.state.db.selectFrom('paid_call').select('id').execute()
  return rows.length
}

test('a payment whose terms differ from those offered is refused and never reaches the ledger', async () => {
  const forged = await forgeTerms(forger())
  const rows = await ledgerRows()
  for (const [name, header] of Object.entries(forged))
    await assertRefused(PATH, header, ['payment_invalid'], name)
  assert.equal(await ledgerRows(), rows)
})

test('upto terms cannot be rewritten either', async () => {
  const terms = await shop.challenge(METERED)
  const forged = await forgeUptoTerms({ payer, offered: terms, url: shop.seller.url }, offered)
  const rows = await ledgerRows()
  for (const [name, header] of Object.entries(forged))
    await assertRefused(METERED, header, ['payment_invalid', 'payment_malformed'], name)
  assert.equal(await ledgerRows(), rows)
})

test("a signature that is not the payer's is refused and never reaches the ledger", async () => {
  const forged = await forgeSignatures(forger(), await shop.newPayer())
  const rows = await ledgerRows()
  for (const [name, header] of Object.entries(forged))
    await assertRefused(PATH, header, ['payment_invalid'], name)
  assert.equal(await ledgerRows(), rows)
  assert.equal(await shop.balanceOf(RICH_WALLET), 1_000_000_000n)
})

test('a payment outside its validity period, or with too long a period, is refused', async () => {
  for (const [name, lifetime] of Object.entries(lifetimesOutside(offered)))
    await assertRefused(PATH, await signPayment(payer, offered, lifetime), ['payment_expired'], name)
  const metered = await shop.challenge(METERED)
  for (const [name, lifetime] of Object.entries(lifetimesOutside(metered))) {
    const upto = await signPayment(payer, metered, { ...lifetime, validAfter: lifetime.validAfter ?? 0 })
    await assertRefused(METERED, upto, ['payment_expired'], `${name} (upto)`)
  }
})

test('a wallet that does not hold the amount is refused before any handler runs', async () => {
  const poor = await shop.newPayer(CENT - 1n)
  const response = await shop.ask(PATH, await signPayment(poor, offered))
  assert.equal(await refusalOf(response), 'payment_insufficient')
  assert.equal(shop.desk.runs, 0)
})

test('version 1 is not accepted in the header of version 2, nor version 2 in that of version 1', async () => {
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

  const inOldHeader: Record<string, string> = {
    'the envelope of version 2': closePayment(payment),
    'version 1 on the envelope of version 2': closePayment({ ...payment, x402Version: 1 }),
    'version 1 with the terms of version 2': closePayment({ ...first, accepted: payment.accepted }),
    'the network by its new name': closePayment(first),
  }
  for (const [name, header] of Object.entries(inOldHeader)) {
    const response = await shop.ask(PATH, undefined, { headers: { 'x-payment': header } })
    assert.match(await refusalOf(response), /^payment_(malformed|invalid)$/, name)
  }
  assert.equal(shop.desk.runs, 0)
  assert.equal(BASE.id, network)
})

test('the payment that was forged above is accepted when nothing is changed', async () => {
  const before = await shop.earned()
  const response = await shop.ask(PATH, await changePayment(forger(), {}))
  assert.equal(response.status, 200)
  assert.equal((await shop.earned()) - before, CENT)
})
