import type { Address } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { isRecord } from '@tollbook/flow/is-record'
import { readExact } from '@tollbook/gate/authorization/decode-payment'
import { readPermit } from '@tollbook/gate/authorization/extensions'
import { readExactByPermit2, readUpto } from '@tollbook/gate/authorization/read-permit2'
import { issueOf, refused } from '@tollbook/gate/authorization/refusal'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import { isByPermit2, type OfferedPayment } from '@tollbook/gate/payment'
import type { Problem } from '@tollbook/http/problem'
import * as z from 'zod'

/** A payment that a seller sent, with what to take of it. */
export type RequestedPayment = {
  readonly payment: OfferedPayment
  /** Micro-USDC: the signed amount under `exact`, at most the signed maximum under `upto`. */
  readonly amount: AtomicUsdc
}

/** The body of `/verify` and `/settle` (x402 specifications v1 and v2, section 7). Other members are ignored. */
export const requestShape = z.looseObject({
  x402Version: z
    .union([z.literal(1), z.literal(2)])
    .describe('The version of the payment; default its own.')
    .optional(),
  paymentPayload: z
    .looseObject({ x402Version: z.union([z.literal(1), z.literal(2)]) })
    .describe('The decoded `PAYMENT-SIGNATURE`, or `X-PAYMENT` in version 1.'),
  paymentRequirements: z
    .looseObject({
      scheme: z.string().max(100),
      network: z.string().max(100).describe('`eip155:8453`, or `base` in version 1.'),
      asset: z.string().max(100),
      payTo: z.string().max(100),
      maxTimeoutSeconds: z.int().min(0),
      amount: atomic().optional().describe('Micro-USDC; under `upto` the charge to settle. Version 2.'),
      maxAmountRequired: atomic().optional().describe('Micro-USDC. Version 1.'),
      extra: z.record(z.string(), z.unknown()).nullish(),
    })
    .describe('What the seller offered and the payer accepted.'),
})
export type PaymentRequest = z.output<typeof requestShape>

const payloadV1 = z.looseObject({ scheme: z.string(), network: z.string(), payload: z.unknown() })
const payloadV2 = z.looseObject({
  accepted: z.looseObject({ scheme: z.string(), network: z.string(), amount: atomic() }),
  payload: z.unknown(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
})

/** The largest amount that the ledger stores exactly. */
const MAX_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Reads a payment and compares it with its requirements. Pure: signature, lifetime and chain are not checked.
 * @returns the problem `invalid_request` for a malformed body; otherwise the member `reason` is an x402 code.
 */
export function readPayment(
  { x402Version, paymentPayload, paymentRequirements }: PaymentRequest,
  { wallets, network: served }: { readonly wallets: readonly Address[]; readonly network: Network },
): RequestedPayment | { readonly problem: Problem } {
  const version = paymentPayload.x402Version
  if (x402Version !== undefined && x402Version !== version)
    return { problem: refused('the versions of request and payment differ', 'invalid_x402_version') }
  const read = version === 1 ? readV1(paymentPayload) : readV2(paymentPayload)
  if ('problem' in read) return read
  const { scheme, network, asset, payTo, maxTimeoutSeconds, extra } = paymentRequirements
  const amount = version === 1 ? paymentRequirements.maxAmountRequired : paymentRequirements.amount
  if (amount === undefined) return malformed('paymentRequirements has no amount')
  if (read.network !== network || network !== networkOf(version, served))
    return { problem: refused(`the network is not ${served.title}`, 'invalid_network') }
  if (read.scheme !== scheme || !(scheme === 'exact' || (scheme === 'upto' && version === 2)))
    return { problem: refused('the scheme is not supported', 'unsupported_scheme') }
  if (asset.toLowerCase() !== served.usdc.toLowerCase())
    return { problem: refused(`the asset is not USDC on ${served.title}`, 'unsupported_asset') }
  if (!/^0x[0-9a-fA-F]{40}$/.test(payTo)) return malformed('paymentRequirements.payTo is not an address')
  const charge = BigInt(amount)
  if (
    (charge === 0n && scheme === 'exact') ||
    charge > MAX_AMOUNT ||
    BigInt(read.amount ?? amount) > MAX_AMOUNT
  )
    return { problem: refused('the amount cannot be settled', 'invalid_payment_requirements') }

  const terms: PaymentRequirements = {
    scheme,
    network: served.id,
    // Under `upto` the requirements of a settlement contain the charge, and the payer accepted the maximum.
    amount: scheme === 'upto' ? (read.amount ?? amount) : amount,
    asset: served.usdc,
    payTo: payTo as Address,
    maxTimeoutSeconds,
    extra: { ...extra, name: served.usdcName, version: served.usdcVersion },
  }
  const signed = readerOf(read, version)(read.payload, terms, BODY)
  if ('refusal' in signed)
    return signed.refusal.code === 'payment_malformed'
      ? malformed(signed.refusal.detail)
      : { problem: signed.refusal }
  if (charge > signed.signedAmount)
    return {
      problem: refused(
        'the charge exceeds the maximum',
        'invalid_upto_evm_payload_settlement_exceeds_amount',
      ),
    }
  if (scheme === 'upto' && !wallets.includes(String(extra?.facilitatorAddress).toLowerCase() as Address))
    return { problem: refused('it names another facilitator', 'upto_facilitator_mismatch') }
  const payment: OfferedPayment = { scheme, terms, payload: null, ...signed }
  const permitted = isByPermit2(payment)
    ? readPermit(read.extensions, { payer: signed.payer, asset: served.usdc, amount: signed.signedAmount })
    : {}
  if ('reason' in permitted) return { problem: refused(permitted.detail, permitted.reason) }
  return { amount: charge, payment: { ...payment, ...permitted } }
}

/** As the SDK's facilitator: the payload, not the requirements, decides what moves an `exact` payment. */
function readerOf({ scheme, payload }: Envelope, version: 1 | 2): typeof readExact {
  if (scheme === 'upto') return readUpto
  const isPermit2 = version === 2 && isRecord(payload) && 'permit2Authorization' in payload
  return isPermit2 ? readExactByPermit2 : readExact
}

const BODY = 'paymentPayload'

/** The name of a network in a version of x402. */
export function networkOf(version: 1 | 2, { nameV1, id }: Network): string {
  return version === 1 ? nameV1 : id
}

type Envelope = {
  readonly scheme: string
  readonly network: string
  readonly payload: unknown
  readonly amount?: string
  readonly extensions: Readonly<Record<string, unknown>>
}

function readV1(payload: unknown): Envelope | { readonly problem: Problem } {
  const parsed = payloadV1.safeParse(payload)
  return parsed.success ? { ...parsed.data, extensions: {} } : malformed(issueOf(parsed.error))
}

function readV2(given: unknown): Envelope | { readonly problem: Problem } {
  const parsed = payloadV2.safeParse(given)
  if (!parsed.success) return malformed(issueOf(parsed.error))
  const { accepted, payload, extensions } = parsed.data
  const { scheme, network, amount } = accepted
  return { scheme, network, amount, payload, extensions: extensions ?? {} }
}

export function malformed(detail: string): { readonly problem: Problem } {
  return { problem: { code: 'invalid_request', detail, members: { reason: 'invalid_payload' } } }
}

function atomic() {
  return z.string().regex(/^\d{1,78}$/, 'must be a decimal integer')
}
