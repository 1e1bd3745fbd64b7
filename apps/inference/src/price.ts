import { type AtomicUsdc, parseUsd } from '@tollbook/chain/usdc'
import { type Metering, type TokenUse, worthOf } from '@tollbook/models/tiers/metering'

/** Specification 4.5, audio rule 2: 0.000006 dollars per character. */
const MICRO_PER_CHARACTER = 6
/** Specification 4.5, audio rule 1: 0.003 dollars per minute. */
const MICRO_PER_SECOND = 50

/** The minimum charge of a metered call, in dollars: transfers of less are not worth their gas. */
export const MIN_CHARGE_USD = '0.001'

/** The price of speech of this many characters under `upto`, before the gate applies the bounds of its endpoint. */
export function chargeOfCharacters(characters: number): AtomicUsdc {
  return BigInt(characters * MICRO_PER_CHARACTER)
}

/** The price of a transcript of this many seconds under `upto`, before the gate applies the bounds of its endpoint. */
export function chargeOfSeconds(seconds: number): AtomicUsdc {
  return BigInt(Math.ceil(seconds * MICRO_PER_SECOND))
}

/** The charge of a chat by its tokens: at least the minimum charge, at most the listing price. */
export function chargeOfTokens(use: TokenUse, metering: Metering): AtomicUsdc {
  const worth = worthOf(use, metering)
  const min = parseUsd(MIN_CHARGE_USD)
  if (worth < min) return min
  return worth
}
