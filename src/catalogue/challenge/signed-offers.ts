import { createECDH, createHash } from 'node:crypto'
import { hashOffer, hashReceipt, type OfferPayload, type ReceiptPayload } from '../../chain/digests.ts'
import type { Hex } from '../../chain/hex.ts'
import { createKeySigner, type Signature } from '../../chain/key-signer.ts'

/** The x402 extension for signed offers and receipts; payloads and digests are those of its SDK 2.27.0. */
export const OFFER_RECEIPT = 'offer-receipt'

export type SignatureFormat = 'eip712' | 'jws'

/** Typed data with its signature of 65 bytes, or a JWS in compact form (RFC 7515), which contains its payload. */
export type Signed<Payload> =
  | { readonly format: 'eip712'; readonly payload: Payload; readonly signature: Hex }
  | { readonly format: 'jws'; readonly signature: string }

export type SignedReceipt = Signed<ReceiptPayload>

/** Signs what a service offers and what it was paid for. The same payload always gets the same signature (RFC 6979). */
export interface OfferSigner {
  /** Identifies its key: an address for EIP-712, a DID URL for JWS. */
  readonly id: string
  signOffer(offer: OfferPayload): Promise<Signed<OfferPayload>>
  signReceipt(receipt: ReceiptPayload): Promise<SignedReceipt>
  /** Length of a signed offer as JSON. */
  measureOffer(offer: OfferPayload): number
}

/** @throws TypeError if the key is not a private key of secp256k1. */
export function createOfferSigner(key: Hex, format: SignatureFormat): OfferSigner {
  const signer = createKeySigner(key)
  if (format === 'eip712')
    return {
      id: signer.address,
      signOffer: async (offer) => toTyped(offer, await signer.sign(hashOffer(offer))),
      signReceipt: async (receipt) => toTyped(receipt, await signer.sign(hashReceipt(receipt))),
      measureOffer: (offer) => JSON.stringify(toTyped(offer, NO_SIGNATURE)).length,
    }
  const id = toDid(key)
  const head = toBase64Url(JSON.stringify({ alg: 'ES256K', kid: id }))
  const signText = async (text: string) =>
    toJws(text, await signer.sign(createHash('sha256').update(text).digest()))
  return {
    id,
    signOffer: (offer) => signText(`${head}.${toCanonical(offer)}`),
    signReceipt: ({ transaction, ...receipt }) =>
      signText(`${head}.${toCanonical(transaction === '' ? receipt : { ...receipt, transaction })}`),
    measureOffer: (offer) => JSON.stringify(toJws(`${head}.${toCanonical(offer)}`, NO_SIGNATURE)).length,
  }
}

/** What a 402 offers: the URL of the resource, and its terms. */
type Offered = {
  readonly url: string
  readonly accepts: readonly Omit<OfferPayload, 'version' | 'resourceUrl' | 'validUntil'>[]
}

/** The extension of a 402: an offer for each term, valid until epoch seconds. */
export async function signOffers(signer: OfferSigner, offered: Offered, validUntil: number) {
  const signed = await Promise.all(toOffers(offered, validUntil).map((offer) => signer.signOffer(offer)))
  return toExtension(signed.map((offer, acceptIndex) => ({ acceptIndex, ...offer })))
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

/** How many bytes the extension adds to the header of a 402. */
export function measureOffers(signer: OfferSigner, offered: Offered): number {
  const lengths = toOffers(offered, MAX_SECONDS).map((offer) => signer.measureOffer(offer))
  const others = `,"${OFFER_RECEIPT}":${JSON.stringify(toExtension([]))}`.length
  const json = lengths.reduce((sum, length) => sum + length + INDEX_LENGTH, others)
  // Base64, and at most one more group.
  return Math.ceil((json * 4) / 3) + 4
}

function toOffers({ url, accepts }: Offered, validUntil: number): readonly OfferPayload[] {
  return accepts.map(({ scheme, network, asset, payTo, amount }) => {
    return { version: 1, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil }
  })
}

function toExtension(offers: readonly object[]) {
  return { info: { offers }, schema: OFFERS_SCHEMA }
}

function toTyped<Payload>(payload: Payload, { r, s, yParity }: Signature): Signed<Payload> {
  return { format: 'eip712', payload, signature: `${r}${s.slice(2)}${(27 + yParity).toString(16)}` }
}

function toJws(text: string, { r, s }: Signature): Signed<never> {
  const signature = Buffer.from(`${r.slice(2)}${s.slice(2)}`, 'hex').toString('base64url')
  return { format: 'jws', signature: `${text}.${signature}` }
}

/** Flat payloads of strings and whole numbers in the form of RFC 8785. */
function toCanonical(payload: object): string {
  return toBase64Url(JSON.stringify(payload, Object.keys(payload).sort()))
}

/** The public key as did:jwk, which names its only key `#0`. */
function toDid(key: Hex): string {
  const pair = createECDH('secp256k1')
  pair.setPrivateKey(key.slice(2), 'hex')
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  return `did:jwk:${toBase64Url(JSON.stringify({ crv: 'secp256k1', kty: 'EC', x, y }))}#0`
}

function toBase64Url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

const ZERO_WORD: Hex = `0x${'0'.repeat(64)}`
const NO_SIGNATURE: Signature = { r: ZERO_WORD, s: ZERO_WORD, yParity: 0 }
/** Ten digits, until the year 2286. */
const MAX_SECONDS = 9_999_999_999
/** `"acceptIndex":0,` and the comma between two offers. */
const INDEX_LENGTH = 17

const $schema = 'https://json-schema.org/draft/2020-12/schema'
const SIGNED_SCHEMA = {
  type: 'object',
  properties: { format: { type: 'string' }, payload: { type: 'object' }, signature: { type: 'string' } },
  required: ['format', 'signature'],
}
const OFFERS_SCHEMA = {
  $schema,
  type: 'object',
  properties: { offers: { type: 'array', items: SIGNED_SCHEMA } },
  required: ['offers'],
}
const RECEIPT_SCHEMA = {
  $schema,
  type: 'object',
  properties: { receipt: SIGNED_SCHEMA },
  required: ['receipt'],
}
