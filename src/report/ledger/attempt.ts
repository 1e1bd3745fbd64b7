import { randomInt } from 'node:crypto'

const ATTEMPTS_PER_SECOND = 2 ** 21

/**
 * A number that no other attempt has: the second, and one of two million by chance, which stays below 2^53 until
 * 2106. A counter would give out again what a state that was lost, or restored from an older copy, has given out
 * before.
 */
export function drawAttempt(now: Date): number {
  return Math.floor(now.getTime() / 1000) * ATTEMPTS_PER_SECOND + randomInt(ATTEMPTS_PER_SECOND)
}
