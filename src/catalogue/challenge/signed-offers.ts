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
export function measureOffers(signer: OfferSigner, offered: Offered): number {
  const lengths = toOffers(offered, MAX_SECONDS).map((offer) => signer.measureOffer(offer))
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

function toJws(text: string, { r, s }: Signature): Signed<never> {
  const signature = Buffer.from(`${r.slice(2)}${s.slice(2)}`, 'hex').toString('base64url')
  return { format: 'jws', signature: `${text}.${signature}` }
}

/** Flat payloads of strings and whole numbers in the form of RFC 8785. */
function toCanonical(payload: object): string {
  return toBase64Url(JSON.stringify(payload, Object.keys(payload).sort()))
}

/** The public key as a DID URL of the method `key`, the shortest one: a multicodec prefix and a compressed point. */
function toDid(key: Hex): string {
  const pair = createECDH('secp256k1')
  pair.setPrivateKey(key.slice(2), 'hex')
  const name = `z${toBase58(`e701${pair.getPublicKey('hex', 'compressed')}`)}`
  return `did:key:${name}#${name}`
}

/** Base58 (draft-msporny-base58-03) of bytes that do not begin with zero. */
function toBase58(hex: string): string {
  let text = ''
  for (let rest = BigInt(`0x${hex}`); rest > 0n; rest /= 58n) text = BASE58.charAt(Number(rest % 58n)) + text
  return text
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function toBase64Url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

const ZERO_WORD: Hex = `0x${'0'.repeat(64)}`
const NO_SIGNATURE: Signature = { r: ZERO_WORD, s: ZERO_WORD, yParity: 0 }
/** Ten digits, until the year 2286. */
const MAX_SECONDS = 9_999_999_999
/** `"acceptIndex":0,` and the comma between two offers. */
const INDEX_LENGTH = 17

const OFFERS_SCHEMA = { type: 'object', required: ['offers'] }
const RECEIPT_SCHEMA = { type: 'object', required: ['receipt'] }
