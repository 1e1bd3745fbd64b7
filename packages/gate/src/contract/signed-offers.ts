import { hashOffer, hashReceipt, type OfferPayload, type ReceiptPayload } from '@tollbook/chain/digests'
import type { Address, Hex } from '@tollbook/chain/hex'
import { createKeySigner, type Signature } from '@tollbook/chain/key-signer'

/** The x402 extension for signed offers and receipts; payloads and digests are those of its SDK 2.27.0. */
export const OFFER_RECEIPT = 'offer-receipt'

/** Typed data with its signature of 65 bytes. */
export type Signed<Payload> = {
  readonly format: 'eip712'
  readonly payload: Payload
  readonly signature: Hex
}

export type SignedReceipt = Signed<ReceiptPayload>

/** Signs what a service offers and what it was paid for. The same payload always gets the same signature (RFC 6979). */
export interface OfferSigner {
  readonly address: Address
  signOffer(offer: OfferPayload): Promise<Signed<OfferPayload>>
  signReceipt(receipt: ReceiptPayload): Promise<SignedReceipt>
}

/** @throws TypeError if the key is not a private key of secp256k1. */
export function createOfferSigner(key: Hex): OfferSigner {
  const signer = createKeySigner(key)
  return {
    address: signer.address,
    signOffer: async (offer) => toTyped(offer, await signer.sign(hashOffer(offer))),
    signReceipt: async (receipt) => toTyped(receipt, await signer.sign(hashReceipt(receipt))),
  }
}

/** What a 402 offers: the URL of the resource, and its terms. */
type Offered = {
  readonly url: string
  readonly accepts: readonly Omit<OfferPayload, 'version' | 'resourceUrl' | 'validUntil'>[]
}

export type SignedOffer = Signed<OfferPayload> & { readonly acceptIndex: number }

/** An offer for each term, valid until epoch seconds. */
export async function signOffers(
  signer: OfferSigner,
  offered: Offered,
  validUntil: number,
): Promise<readonly SignedOffer[]> {
  const signed = await Promise.all(toOffers(offered, validUntil).map((offer) => signer.signOffer(offer)))
  return signed.map((offer, acceptIndex) => ({ acceptIndex, ...offer }))
}

/** The extension of a 402. */
export function toOffersExtension(offers: readonly SignedOffer[]) {
  return { info: { offers }, schema: OFFERS_SCHEMA }
}

/** The receipt of a call settled at epoch milliseconds; one paid by voucher has no transaction. */
export function signReceipt(
  signer: OfferSigner,
  paid: Pick<ReceiptPayload, 'network' | 'resourceUrl' | 'payer'> & {
    readonly settledAt: number
    readonly transaction: Hex | null
  },
): Promise<SignedReceipt> {
  const { network, resourceUrl, payer, settledAt, transaction } = paid
  const issuedAt = Math.floor(settledAt / 1000)
  return signer.signReceipt({
    version: 1,
    network,
    resourceUrl,
    payer,
    issuedAt,
    transaction: transaction ?? '',
  })
}

export function toReceiptExtension(receipt: SignedReceipt) {
  return { [OFFER_RECEIPT]: { info: { receipt }, schema: RECEIPT_SCHEMA } }
}

/** How many bytes of JSON the extension adds to a challenge. */
export function measureOffers(offered: Offered): number {
  const lengths = toOffers(offered, MAX_SECONDS).map(
    (offer) => JSON.stringify(toTyped(offer, NO_SIGNATURE)).length,
  )
  const others = `,"${OFFER_RECEIPT}":${JSON.stringify(toOffersExtension([]))}`.length
  return lengths.reduce((sum, length) => sum + length + INDEX_LENGTH, others)
}

function toOffers({ url, accepts }: Offered, validUntil: number): readonly OfferPayload[] {
  return accepts.map(({ scheme, network, asset, payTo, amount }) => {
    return { version: 1, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil }
  })
}

function toTyped<Payload>(payload: Payload, { r, s, yParity }: Signature): Signed<Payload> {
  return { format: 'eip712', payload, signature: `${r}${s.slice(2)}${(27 + yParity).toString(16)}` }
}

const ZERO_WORD: Hex = `0x${'0'.repeat(64)}`
const NO_SIGNATURE: Signature = { r: ZERO_WORD, s: ZERO_WORD, yParity: 0 }
/** Ten digits, until the year 2286. */
const MAX_SECONDS = 9_999_999_999
/** `"acceptIndex":0,` and the comma between two offers. */
const INDEX_LENGTH = 17

const OFFERS_SCHEMA = { type: 'object', required: ['offers'] }
const RECEIPT_SCHEMA = { type: 'object', required: ['receipt'] }
