import type { AtomicUsdc } from '../money/usdc.ts'

/** Specification 4.5, audio rule 2: 0.000006 dollars a character. */
const MICRO_PER_CHARACTER = 6
/** Specification 4.5, audio rule 1: 0.003 dollars a minute. */
const MICRO_PER_SECOND = 50

/** What speech of so many characters costs under `upto`, before the gate holds it to the bounds of its endpoint. */
export function chargeOfCharacters(characters: number): AtomicUsdc {
  return BigInt(characters * MICRO_PER_CHARACTER)
}

/** What a transcript of so many seconds costs under `upto`, before the gate holds it to the bounds of its endpoint. */
export function chargeOfSeconds(seconds: number): AtomicUsdc {
  return BigInt(Math.ceil(seconds * MICRO_PER_SECOND))
}
