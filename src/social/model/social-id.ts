import * as z from 'zod'

const MAX = 2n ** 63n - 1n

/** The id of a tweet, user, list or community: a decimal string of at most 63 bits (X API v2). */
export const socialId = z
  .string()
  .regex(/^\d{1,19}$/, 'must be 1 to 19 decimal digits')
  .describe('A numeric id: 1 to 19 decimal digits.')

/** Whether a decimal string fits the 63 bits of an id; the schema reports the issue of any other string. */
export function isInRange(id: string): boolean {
  return id.length < 19 || !/^\d+$/.test(id) || BigInt(id) <= MAX
}
