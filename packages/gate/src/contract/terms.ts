import { toChecksumAddress } from '@tollbook/chain/checksum-address'
import type { Address } from '@tollbook/chain/hex'
import { type AtomicUsdc, parseUsd, type UsdText } from '@tollbook/chain/usdc'
import type { PaidRoute } from './paid-route.ts'
import type { OfferSigner } from './signed-offers.ts'

/** The seller's payment data besides the price: where and how USDC is accepted. */
export type SellerTerms = {
  /** CAIP-2 network, `eip155:8453` for Base. */
  readonly network: `eip155:${number}`
  readonly asset: Address
  /** EIP-712 domain name and version of the USDC contract ("USD Coin", "2" on Base). */
  readonly assetName: string
  readonly assetVersion: string
  readonly payTo: Address
  /** Bound into `upto` authorizations; absent: no `upto` offer. A remote one may be known only later. */
  readonly facilitatorAddress?: Address | undefined
  /** Absent: no channels are sold. */
  readonly channels?: ChannelTerms | undefined
  /** Absent: offers and receipts are not signed. */
  readonly signer?: OfferSigner | undefined
}

/** How payment channels are sold (x402 `batch-settlement`). */
export type ChannelTerms = {
  /** The key that signs claims and refunds. */
  readonly receiverAuthorizer: Address
  /** Seconds between a payer's withdrawal and its payment: 900 to 2,592,000. */
  readonly withdrawDelay: number
}

/** Chosen: a deposit costs us the gas of about two `exact` payments. */
const MIN_DEPOSIT_CALLS = 50n
/** A deposit of half a dollar pays for its gas at any price of a call, micro-USDC. */
const ENOUGH_DEPOSIT = 500_000n

/** One entry of `accepts` in x402 version 2 (specs/x402-specification-v2.md, PaymentRequirements). */
export type PaymentRequirements = {
  readonly scheme: 'exact' | 'upto' | 'batch-settlement'
  readonly network: `eip155:${number}`
  /** Micro-USDC; the maximum under `upto`. */
  readonly amount: string
  readonly asset: Address
  readonly payTo: Address
  /** Max lifetime of an authorization in seconds. */
  readonly maxTimeoutSeconds: number
  readonly extra: Readonly<Record<string, unknown>>
}

/** Time for settlement beyond the handler's own limit. */
const SETTLEMENT_SECONDS = 30
/** Under `upto` the answer is sent first: the authorization must outlast an outage. */
const UPTO_SETTLEMENT_SECONDS = 150
/** Stock clients sign for this long; some reject a shorter offer. */
const MIN_LIFETIME_SECONDS = 60

/** Payment options by preference; none if free. EIP-55 checksums: stock clients compare case-sensitively. */
export function buildPaymentTerms(endpoint: PaidRoute, seller: SellerTerms): readonly PaymentRequirements[] {
  const { pricing } = endpoint
  if (pricing.kind === 'free') return []
  const exact = buildExactTerms(endpoint, seller, pricing.priceUsd)
  if (pricing.kind === 'exact')
    return seller.channels && isPaidByChannel(endpoint)
      ? [exact, toChannelTerms(exact, seller.channels)]
      : [exact]
  if (!seller.facilitatorAddress) return pricing.isExactFirst ? [exact] : []
  const upto: PaymentRequirements = {
    ...exact,
    scheme: 'upto',
    maxTimeoutSeconds: lifetimeOf(endpoint, UPTO_SETTLEMENT_SECONDS),
    extra: {
      ...exact.extra,
      assetTransferMethod: 'permit2',
      facilitatorAddress: toChecksumAddress(seller.facilitatorAddress),
    },
  }
  return pricing.isExactFirst ? [exact, upto] : [upto]
}

/** Whether its calls may be paid by vouchers, where channels are sold. */
export function isPaidByChannel({ pricing }: PaidRoute): boolean {
  return pricing.kind === 'exact'
}

function toChannelTerms(exact: PaymentRequirements, channels: ChannelTerms): PaymentRequirements {
  const { receiverAuthorizer, withdrawDelay } = channels
  const price = BigInt(exact.amount)
  const extra = {
    receiverAuthorizer: toChecksumAddress(receiverAuthorizer),
    withdrawDelay,
    minDeposit: toMinDeposit(price).toString(),
  }
  return { ...exact, scheme: 'batch-settlement', extra: { ...exact.extra, ...extra } }
}

function toMinDeposit(price: AtomicUsdc): AtomicUsdc {
  if (price > ENOUGH_DEPOSIT) return price
  const some = price * MIN_DEPOSIT_CALLS
  return some < ENOUGH_DEPOSIT ? some : ENOUGH_DEPOSIT
}

/** A charge of MPP has a fixed amount. */
export function isPaidByMpp(endpoint: PaidRoute): boolean {
  return endpoint.pricing.kind === 'exact'
}

/** The entry that tells catalogues that an endpoint is free: amount 0. It never appears in a 402. */
export function buildFreeTerms(endpoint: PaidRoute, seller: SellerTerms): readonly PaymentRequirements[] {
  return [buildExactTerms(endpoint, seller, '0')]
}

function buildExactTerms(endpoint: PaidRoute, seller: SellerTerms, priceUsd: UsdText): PaymentRequirements {
  return {
    scheme: 'exact',
    network: seller.network,
    amount: parseUsd(priceUsd).toString(),
    asset: toChecksumAddress(seller.asset),
    payTo: toChecksumAddress(seller.payTo),
    maxTimeoutSeconds: lifetimeOf(endpoint, SETTLEMENT_SECONDS),
    extra: { name: seller.assetName, version: seller.assetVersion },
  }
}

function lifetimeOf({ limits }: PaidRoute, settlementSeconds: number): number {
  return Math.max(MIN_LIFETIME_SECONDS, Math.ceil(limits.timeoutMs / 1000) + settlementSeconds)
}
