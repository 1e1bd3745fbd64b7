import { BASE, type Network } from '@tollbook/chain/network'
import { type AtomicUsdc, formatUsd } from '@tollbook/chain/usdc'
import { parseJson } from '@tollbook/flow/parse-json'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import { getAddress, isAddress } from 'viem/utils'
import { readCharges } from './mpp.ts'
import type { Requested } from './requested.ts'
import { toSellersWords } from './sellers-words.ts'
import { readVersionOne } from './version-one.ts'

/** `batch-settlement` pays from a channel, and is chosen only by its name. */
export type PaymentScheme = 'exact' | 'upto' | 'batch-settlement'

/** Maximum lifetime of a payment. Chosen: longer than any call, since a lost payment holds the budget for as long. */
export const MAX_LIFETIME_SECONDS = 3600

const MAX_DESCRIPTION = 500

/** The payment that a service requests, before anything is signed. */
export type Offer = {
  readonly scheme: PaymentScheme
  /** The price under `exact`, the maximum under `upto`. */
  readonly amount: AtomicUsdc
  /** What goes to a channel if it holds less than the price; it stays the payer's. */
  readonly deposit?: AtomicUsdc
  readonly payTo: string
  /** What the seller says about it. */
  readonly description: string
}

/** What the caller accepts. */
export type Limits = {
  readonly max: AtomicUsdc
  readonly scheme?: PaymentScheme
  /** The only network that is paid on; default Base. */
  readonly network?: Network
}

/** What will be signed. */
export type Chosen = Requested & { readonly offer: Offer; readonly terms: PaymentRequirements }

/** The offer of a 402 that is within the caller's limit, by x402 version 2, version 1 or MPP, or why there is none. */
export function readOffers({ headers }: Response, body: unknown, limits: Limits): Chosen | string {
  const header = headers.get('payment-required')
  const { network = BASE } = limits
  const others = [...readVersionOne(body, network), ...readCharges(headers, network)]
  if (header === null && others.length === 0)
    return `the 402 has no offer of USDC on ${network.title} by x402 (version 2 or 1) or MPP`
  return header === null ? chooseOffer(others, limits) : readOffer(header, limits, others)
}

/** The same for the value of `PAYMENT-REQUIRED` alone. */
export function readOffer(
  header: string,
  limits: Limits,
  others: readonly Requested[] = [],
): Chosen | string {
  try {
    return chooseOffer([{ required: decodePaymentRequiredHeader(header) }, ...others], limits)
  } catch {
    return 'the PAYMENT-REQUIRED header of the 402 cannot be read'
  }
}

function chooseOffer(requested: readonly Requested[], limits: Limits): Chosen | string {
  const { max, scheme: only, network = BASE } = limits
  const schemes = only ? [only] : (['exact', 'upto'] as const)
  const known = requested.flatMap((each) =>
    each.required.accepts.flatMap((terms) => {
      const scheme = schemes.find((name) => name === terms.scheme)
      const isPayable = typeof terms.payTo === 'string' && isAddress(terms.payTo, { strict: false })
      const isUsdc = terms.network === network.id && terms.asset.toLowerCase() === network.usdc.toLowerCase()
      return scheme && isUsdc && isPayable && /^\d+$/.test(terms.amount)
        ? [{ ...each, terms, scheme, amount: BigInt(terms.amount) }]
        : []
    }),
  )
  if (known.length === 0)
    return `the service does not accept USDC on ${network.title} at a valid address by ${only ?? 'exact or upto'}`
  const cheap = known.filter(({ amount }) => amount <= max)
  if (cheap.length === 0) {
    const prices = new Set(known.map(({ amount }) => `$${formatUsd(amount)}`))
    return `${[...prices].join(' and ')} is above --max`
  }
  // The seller could settle until then, whatever it has answered.
  const brief = cheap.find(({ terms }) => terms.maxTimeoutSeconds <= MAX_LIFETIME_SECONDS)
  if (!brief) return `the payment would stay valid for more than ${MAX_LIFETIME_SECONDS} seconds`
  const { scheme, amount, ...chosen } = brief
  const { terms, required } = chosen
  const deposit = scheme === 'batch-settlement' ? { deposit: depositOf(terms) } : {}
  if ((deposit.deposit ?? 0n) > max) return `the deposit of $${formatUsd(depositOf(terms))} is above --max`
  const description = toSellersWords(`${required.resource?.description ?? ''}`, MAX_DESCRIPTION)
  return { ...chosen, offer: { scheme, amount, ...deposit, payTo: getAddress(terms.payTo), description } }
}

/** What a settlement says was charged; its `amount` is that of the deposit if a channel paid. */
export function chargeOf({ scheme, amount }: Offer, { amount: settled, extra }: SettleResponse): AtomicUsdc {
  const charged = scheme === 'batch-settlement' ? extra?.chargedAmount : settled
  return typeof charged === 'string' && /^\d+$/.test(charged) ? BigInt(charged) : amount
}

/** A deposit of the announced minimum, or of five calls. */
function depositOf({ amount, extra }: PaymentRequirements): AtomicUsdc {
  const least = extra.minDeposit
  return typeof least === 'string' && /^\d+$/.test(least) ? BigInt(least) : 5n * BigInt(amount)
}

/** The receipt of an answer, in each protocol's header; null without one that can be read. */
export function readSettlement({ headers }: Pick<Response, 'headers'>): SettleResponse | null {
  const receipt = decode(headers.get('payment-response') ?? headers.get('x-payment-response'))
  if (receipt) return receipt as SettleResponse
  const { status, reference: transaction } = (decode(headers.get('payment-receipt')) ?? {}) as Receipt
  if (typeof transaction !== 'string') return null
  // A receipt of MPP names no network; callers read the transaction alone.
  return { success: status === 'success', transaction, network: BASE.id }
}

/** Of MPP. */
type Receipt = { readonly status?: unknown; readonly reference?: unknown }

function decode(header: string | null): object | null {
  // Reads both alphabets of base64.
  const value = parseJson(Buffer.from(header ?? '', 'base64'))
  return value === undefined ? null : Object(value)
}
