import type { TierSettings } from '../../models/tiers/tier-file.ts'
import { type AtomicUsdc, formatUsd, parseUsd } from '../../money/usdc.ts'
import { MIN_CHARGE_USD } from '../min-charge.ts'
import type { Tier } from './tier-table.ts'

/** Tokens of one call. */
export type TokenUse = {
  readonly input: number
  /** How many of the input the upstream had in its cache. */
  readonly cached: number
  readonly output: number
}

/** What the metered variant of a tier costs and holds. */
export type Metering = {
  /** The listing price. */
  readonly maxCharge: AtomicUsdc
  /** Micro-USDC for a million tokens. */
  readonly rates: { readonly input: AtomicUsdc; readonly cached: AtomicUsdc; readonly output: AtomicUsdc }
  readonly inputTokens: number
  readonly outputTokens: number
  readonly imageTokens: number
}

/** Chosen: above what hosted models count for an image at their standard settings, some 1,600. */
const IMAGE_TOKENS = 2_048
const TOKENS_OF_RATE = 1_000_000n

/**
 * The metering of a tier, as the operator sets it; null of a tier without a metered variant.
 * @throws RangeError where its caps cost more than the listing price, so that a call could cost more than was signed.
 */
export function meteringOf({ upto }: Tier, settings: TierSettings['upto']): Metering | null {
  if (!upto) return null
  const { input, cached, output } = settings?.rates ?? upto.rates
  const metering: Metering = {
    maxCharge: parseUsd(upto.priceUsd),
    rates: { input: parseUsd(input), cached: parseUsd(cached), output: parseUsd(output) },
    inputTokens: settings?.input_tokens ?? upto.inputTokens,
    outputTokens: settings?.output_tokens ?? upto.outputTokens,
    imageTokens: settings?.image_tokens ?? IMAGE_TOKENS,
  }
  if (metering.rates.cached > metering.rates.input)
    throw new RangeError('the rate of cached input is above that of input')
  const { inputTokens, outputTokens, maxCharge, rates } = metering
  const max = costOf({ input: inputTokens, cached: 0, output: outputTokens }, rates)
  if (max > maxCharge)
    throw new RangeError(
      `the caps cost ${formatUsd(max)} dollars, more than the listing price of ${upto.priceUsd}`,
    )
  return metering
}

/** What a call costs, before gate and listing hold it to their bounds: every begun micro-USDC counts. */
export function costOf({ input, cached, output }: TokenUse, rates: Metering['rates']): AtomicUsdc {
  const cost =
    BigInt(input - cached) * rates.input + BigInt(cached) * rates.cached + BigInt(output) * rates.output
  return (cost + TOKENS_OF_RATE - 1n) / TOKENS_OF_RATE
}

/** What a part of an answer is worth: the tokens at their rates, at most the listing price. */
export function worthOf(use: TokenUse, { rates, maxCharge }: Metering): AtomicUsdc {
  const cost = costOf(use, rates)
  return cost < maxCharge ? cost : maxCharge
}

/** What a call is charged: at least the minimum charge, at most the listing price. */
export function chargeOf(use: TokenUse, metering: Metering): AtomicUsdc {
  const worth = worthOf(use, metering)
  const min = parseUsd(MIN_CHARGE_USD)
  if (worth < min) return min
  return worth
}
