import assert from 'node:assert/strict'
import { json } from '@tollbook/endpoints/answer'
import { BASE_URL, inWorld, SELLER } from '@tollbook/testing/payments/gate-world'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import {
  decodeSignedOffers,
  type EIP712SignedReceipt,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureEIP712,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt'
import type { PaymentRequired } from '../challenge/payment-required.ts'

const PATH = '/api/say?word=hi'
const MINUTES = 60_000

function offersOf(response: Response) {
  const required = decodePaymentRequiredHeader(response.headers.get('payment-required') ?? '')
  return { required, offers: extractOffersFromPaymentRequired(required) }
}

inWorld('a 402 has a signed offer for each of its terms, in the body of a refusal', async (world) => {
  const process = await world.startProcess()
  const { required, offers } = offersOf(await process.fetch('/api/metered'))
  assert.equal(required.accepts.length, 2)
  assert.deepEqual(
    decodeSignedOffers(offers).map((offer) => findAcceptsObjectFromSignedOffer(offer, required.accepts)),
    required.accepts,
  )
  for (const offer of offers) {
    assert.ok(offer.format === 'eip712')
    const { signer, payload } = await verifyOfferSignatureEIP712(offer)
    assert.equal(signer.toLowerCase(), SELLER.signer?.address)
    assert.equal(payload.resourceUrl, `${BASE_URL}/api/metered`)
    assert.ok(payload.validUntil * 1000 >= world.now() + 5 * MINUTES)
  }
  const payment = await process.pay(PATH, world.newPayer(0n))
  const insufficient = await process.fetch(PATH, payment)
  assert.equal(insufficient.status, 402)
  assert.deepEqual(offersOf(insufficient).offers, [])
  const { extensions } = (await insufficient.json()) as Pick<PaymentRequired, 'extensions'>
  const inBody = extractOffersFromPaymentRequired({ ...required, extensions })
  assert.deepEqual(inBody, offersOf(await process.fetch(PATH)).offers)
})

inWorld('offers are the same for everyone for five minutes, and then signed again', async (world) => {
  const [one, other] = [await world.startProcess(), await world.startProcess()]
  const sign = async ({ fetch }: typeof one) => JSON.stringify(offersOf(await fetch(PATH)).offers)
  // To the start of a window.
  world.pass(5 * MINUTES - (world.now() % (5 * MINUTES)))
  const first = await sign(one)
  assert.equal(await sign(other), first)
  world.pass(4 * MINUTES)
  assert.equal(await sign(one), first)
  world.pass(MINUTES)
  assert.notEqual(await sign(one), first)
})

inWorld("an answer has a signed receipt for the offer's URL, the same for each repetition", async (world) => {
  const process = await world.startProcess()
  const payer = world.newPayer()
  const [offer] = decodeSignedOffers(offersOf(await process.fetch(PATH)).offers)
  assert.ok(offer)
  const payment = await process.pay(PATH, payer)
  const answer = await process.fetch(PATH, payment)
  const receipt = extractReceiptFromResponse(answer) as EIP712SignedReceipt
  const { signer, payload } = await verifyReceiptSignatureEIP712(receipt)
  assert.equal(signer.toLowerCase(), SELLER.signer?.address)
  assert.equal(payload.resourceUrl, offer.resourceUrl)
  assert.equal(payload.transaction, world.chain.transfers[0]?.transaction)
  assert.ok(verifyReceiptMatchesOffer(receipt, offer, [payer.address]))
  world.pass(3_000)
  assert.deepEqual(extractReceiptFromResponse(await process.fetch(PATH, payment)), receipt)
  const stored = await process.gate.findReceipt(answer.headers.get('tollbook-receipt') ?? '')
  assert.equal(stored?.resourceUrl, offer.resourceUrl)
  assert.equal(Math.floor(Date.parse(stored?.settledAt ?? '') / 1000), payload.issuedAt)
})

inWorld(
  'a client may echo the offers, changed or not: they are neither compared nor stored',
  async (world) => {
    const process = await world.startProcess()
    for (const echoed of [offersOf(await process.fetch(PATH)).offers, [{ format: 'jws', signature: 'x' }]]) {
      const tamper = (payload: Record<string, unknown>) => {
        return { ...payload, extensions: { 'offer-receipt': { info: { offers: echoed } } } }
      }
      const payer = world.newPayer()
      let stored = ''
      process.desk.work = async ({ input }) => {
        const rows = world.state.db.selectFrom('paid_call').select('offer')
        const row = await rows.where('payer', '=', payer.address.toLowerCase()).executeTakeFirstOrThrow()
        stored = row.offer ?? ''
        return json(input)
      }
      const answer = await process.fetch(PATH, await process.pay(PATH, payer, { tamper }))
      assert.equal(answer.status, 200)
      assert.match(stored, /"extensions":\{\}/)
    }
  },
)
