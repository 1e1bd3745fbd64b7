import type { AtomicUsdc } from '../money/usdc.ts'

/** The least that a metered call costs, in dollars: transfers of less are not worth their gas. */
export const LEAST_AUDIO_USD = '0.001'

/** Specification 4.5, audio rule 2: 0.000006 dollars a character. */
const MICRO_PER_CHARACTER = 6

/** What speech of so many characters costs under `upto`, before the gate holds it to the bounds of its endpoint. */
export function chargeOfCharacters(characters: number): AtomicUsdc {
  return BigInt(characters * MICRO_PER_CHARACTER)
}
