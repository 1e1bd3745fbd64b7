import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOffer, hashReceipt } from '@tollbook/chain/digests'
import {
  extractOfferPayload,
  extractReceiptPayload,
  hashOfferTypedData,
  hashReceiptTypedData,
  type SignedOffer,
  type SignedReceipt,
  verifyOfferSignatureEIP712,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt'
import {
  createOfferSigner,
  measureOffers,
  signOffers,
  signReceipt,
  toOffersExtension,
} from './signed-offers.ts'

const KEY = `0x${'5a'.repeat(32)}` as const
const TERMS = {
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  amount: '1000',
  maxTimeoutSeconds: 60,
  extra: {},
} as const
const OFFERED = {
  url: 'https://utility.example/api/echo',
  accepts: [
    { ...TERMS, scheme: 'exact' },
    { ...TERMS, scheme: 'upto' },
  ],
} as const
const UNTIL = 1_800_000_000
const PAID = {
  network: 'eip155:8453',
  resourceUrl: OFFERED.url,
  payer: '0x00000000000000000000000000000000000000aa',
  settledAt: 1_799_999_999_999,
  transaction: `0x${'ab'.repeat(32)}`,
} as const

const signer = createOfferSigner(KEY)

async function verifyOffer(offer: SignedOffer): Promise<string> {
  assert.ok(offer.format === 'eip712')
  return (await verifyOfferSignatureEIP712(offer)).signer.toLowerCase()
}

async function verifyReceipt(receipt: SignedReceipt): Promise<string> {
  assert.ok(receipt.format === 'eip712')
  return (await verifyReceiptSignatureEIP712(receipt)).signer.toLowerCase()
}

test('the SDK accepts an offer for each of the terms, and no changed one', async () => {
  const offers = (await signOffers(signer, OFFERED, UNTIL)) as readonly SignedOffer[]
  assert.deepEqual(
    offers.map((offer) => [offer.acceptIndex, extractOfferPayload(offer).scheme]),
    [
      [0, 'exact'],
      [1, 'upto'],
    ],
  )
  for (const offer of offers) {
    assert.equal(await verifyOffer(offer), signer.address)
    const { amount, payTo, asset, network } = TERMS
    const payload = extractOfferPayload(offer)
    const { scheme } = payload
    const expected = { version: 1, resourceUrl: OFFERED.url, scheme, network, asset, payTo, amount }
    assert.deepEqual(payload, { ...expected, validUntil: UNTIL })
    for (const change of [
      { amount: '1' },
      { payTo: PAID.payer },
      { resourceUrl: 'https://utility.example/api/other' },
      { validUntil: UNTIL + 1 },
    ])
      await assertRefused(verifyOffer, withPayload(offer, { ...payload, ...change }), signer.address)
  }
})

test('the SDK accepts a receipt, and no changed one; the same call has the same receipt', async () => {
  const receipt: SignedReceipt = await signReceipt(signer, PAID)
  assert.equal(await verifyReceipt(receipt), signer.address)
  const { network, resourceUrl, payer, transaction } = PAID
  const payload = extractReceiptPayload(receipt)
  const expected = { version: 1, network, resourceUrl, payer, issuedAt: 1_799_999_999, transaction }
  assert.deepEqual(payload, expected)
  for (const change of [{ payer: TERMS.payTo }, { resourceUrl: 'https://other.example' }, { issuedAt: 1 }])
    await assertRefused(verifyReceipt, withPayload(receipt, { ...payload, ...change }), signer.address)
  assert.deepEqual(await signReceipt(signer, PAID), receipt)
  assert.equal(await verifyReceipt(await signReceipt(signer, { ...PAID, transaction: null })), signer.address)
})

test('the extension is as long as measured', async () => {
  const extension = toOffersExtension(await signOffers(signer, OFFERED, UNTIL))
  const added = JSON.stringify({ bazaar: {}, 'offer-receipt': extension }).length - '{"bazaar":{}}'.length
  // The comma of each of the two offers is counted, and there is one.
  assert.equal(measureOffers(OFFERED), added + 1)
})

test('digests are those of the SDK', () => {
  const { url: resourceUrl } = OFFERED
  const { network, asset, payTo, amount } = TERMS
  const terms = { scheme: 'exact', network, asset, payTo, amount }
  const offer = { version: 1, resourceUrl, ...terms, validUntil: UNTIL } as const
  assert.equal(`0x${hashOffer(offer).toString('hex')}`, hashOfferTypedData(offer))
  const { payer } = PAID
  const receipt = { version: 1, network, resourceUrl, payer, issuedAt: UNTIL, transaction: '' } as const
  assert.equal(`0x${hashReceipt(receipt).toString('hex')}`, hashReceiptTypedData(receipt))
})

/** The same signature over another payload. */
function withPayload<One extends SignedOffer | SignedReceipt>(signed: One, payload: object): One {
  return { ...signed, payload }
}

async function assertRefused<One>(verify: (signed: One) => Promise<string>, changed: One, address: string) {
  assert.notEqual(await verify(changed).catch(() => 'refused'), address)
}
