import { type AtomicUsdc, formatUsd, parseUsd } from '@tollbook/chain/usdc'
import type { TierSettings } from './tier-file.ts'
import type { Tier } from './tier-table.ts'

/** Token counts of one call. */
export type TokenUse = {
  readonly input: number
  /** The number of input tokens that the upstream had cached. */
  readonly cached: number
  readonly output: number
}

/** The rates and caps of a tier's metered variant. */
export type Metering = {
  /** The listing price. */
  readonly maxCharge: AtomicUsdc
  /** Micro-USDC per million tokens. */
  readonly rates: { readonly input: AtomicUsdc; readonly cached: AtomicUsdc; readonly output: AtomicUsdc }
  /** Set by operators; null admits any input that the plain path admits, at the listing price at most. */
  readonly inputTokens: number | null
  readonly outputTokens: number
  readonly imageTokens: number
}

/** Chosen: above what hosted models count for an image at their standard settings, some 1,600. */
const IMAGE_TOKENS = 2_048
const TOKENS_OF_RATE = 1_000_000n

/**
 * The metering of a tier, as the operator configures it; null for a tier without a metered variant.
 * @throws RangeError if its caps cost more than the listing price: they would be sold below their rates.
 */
export function meteringOf({ upto }: Tier, settings: TierSettings['upto']): Metering | null {
  if (!upto) return null
  const { input, cached, output } = settings?.rates ?? upto.rates
  const metering: Metering = {
    maxCharge: parseUsd(upto.priceUsd),
    rates: { input: parseUsd(input), cached: parseUsd(cached), output: parseUsd(output) },
    inputTokens: settings?.input_tokens ?? null,
    outputTokens: settings?.output_tokens ?? upto.outputTokens,
    imageTokens: settings?.image_tokens ?? IMAGE_TOKENS,
  }
  if (metering.rates.cached > metering.rates.input)
    throw new RangeError('the rate of cached input is above that of input')
  const { inputTokens, outputTokens, maxCharge, rates } = metering
  const max = costOf({ input: inputTokens ?? 0, cached: 0, output: outputTokens }, rates)
  if (max > maxCharge)
    throw new RangeError(
      `the caps cost ${formatUsd(max)} dollars, more than the listing price of ${upto.priceUsd}`,
    )
  return metering
}

/** The cost of a call, before gate and listing apply their bounds: rounded up to whole micro-USDC. */
export function costOf({ input, cached, output }: TokenUse, rates: Metering['rates']): AtomicUsdc {
  const cost =
    BigInt(input - cached) * rates.input + BigInt(cached) * rates.cached + BigInt(output) * rates.output
  return (cost + TOKENS_OF_RATE - 1n) / TOKENS_OF_RATE
}

/** The value of a part of an answer: the tokens at their rates, at most the listing price. */
export function worthOf(use: TokenUse, { rates, maxCharge }: Metering): AtomicUsdc {
  const cost = costOf(use, rates)
  return cost < maxCharge ? cost : maxCharge
}
