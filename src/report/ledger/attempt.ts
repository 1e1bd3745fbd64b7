import { randomInt } from 'node:crypto'

const ATTEMPTS_PER_SECOND = 2 ** 21

/**
 * A number that no other attempt has: the current second and a random number below two million. It stays
 * below 2^53 until 2106. A counter would repeat numbers after the state was lost or restored from an older
 * copy.
 */
export function drawAttempt(now: Date): number {
  return Math.floor(now.getTime() / 1000) * ATTEMPTS_PER_SECOND + randomInt(ATTEMPTS_PER_SECOND)
}
