import { type AtomicUsdc, parseUsd } from '@tollbook/chain/usdc'
import type { Problem } from '@tollbook/http/problem'
import type { Pricing } from '../contract/paid-route.ts'
import type { PayerCode, SettlementCost } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'

type Scheme = OfferedPayment['scheme']
type Settled = keyof SettlementCost

/** Decides whether a call earns enough for the gas of its settlement. */
export interface GasShare {
  /**
   * Why no call of this price can be sold now, or null; answers from memory.
   * @param scheme how it is paid; if absent, every offered scheme is considered.
   */
  problem(pricing: Pricing, scheme?: Scheme): Problem | null
  /** Why the settlement of this payer costs too much, or null. */
  payerProblem(pricing: Pricing, payment: OfferedPayment, code: PayerCode): Problem | null
}

export function createGasShare(options: {
  /** Maximum gas cost, in percent of what a call earns at least. */
  readonly maxGasPercent: number
  readonly settlementCost: () => SettlementCost | null
}): GasShare {
  const { maxGasPercent, settlementCost } = options
  const isTooMuch = (cost: AtomicUsdc, earned: AtomicUsdc) => cost * 100n > earned * BigInt(maxGasPercent)

  return {
    problem: (pricing, scheme) => {
      const cost = settlementCost()
      // Vouchers are redeemed together, when that pays.
      if (pricing.kind === 'free' || cost === null || scheme === 'batch-settlement') return null
      const schemes = scheme ? [scheme] : schemesOf(pricing)
      return schemes.every((each) => isTooMuch(cost[each], earningOf(pricing, each))) ? TOO_EXPENSIVE : null
    },
    payerProblem: (pricing, { scheme }, { gasCost }) =>
      pricing.kind !== 'free' && isTooMuch(gasCost, earningOf(pricing, scheme)) ? WALLET_TOO_EXPENSIVE : null,
  }
}

function schemesOf(pricing: Pricing): readonly Settled[] {
  if (pricing.kind !== 'metered') return ['exact']
  return pricing.isExactFirst ? ['exact', 'upto'] : ['upto']
}

/** What a call earns at least: its price, or its minimum under `upto`. */
function earningOf(pricing: Pricing, scheme: Scheme): AtomicUsdc {
  if (pricing.kind === 'free') return 0n
  if (pricing.kind === 'metered' && scheme === 'upto') return parseUsd(pricing.minimumUsd)
  return parseUsd(pricing.priceUsd)
}

const TOO_EXPENSIVE: Problem = {
  code: 'gas_too_expensive',
  detail: 'Gas is too expensive at the moment for a call of this price. Nothing was charged.',
  retryAfterSeconds: 60,
}

const WALLET_TOO_EXPENSIVE: Problem = {
  code: 'contract_wallet_refused',
  detail:
    'Settling a payment of this wallet costs more gas than the call earns. Pay from a wallet without code.',
}
