import { CalcError } from '../calc-error.ts'
import { atExponent, type Ball, exactBall, TooWide, topOf, trim } from './ball.ts'
import { bitLength, floorDivide } from './integer.ts'
import type { Workspace } from './workspace.ts'

/** Max exponent of two in a result: about 3 * 10^8 decimal digits, so that exponents stay JSON-sized. */
const MAX_TOP = 2 ** 31

/** @throws CalcError if a number is too large or too small to print. */
export function checkMagnitude(ball: Ball): Ball {
  const top = topOf(ball)
  if (top > MAX_TOP) throw new CalcError('value', 'a number is too large (limit 10^646456993)')
  if (top < -MAX_TOP && top !== Number.NEGATIVE_INFINITY)
    throw new CalcError('value', 'a number is too close to 0 (limit 10^-646456993)')
  return ball
}

/**
 * e to the x. The argument is reduced below ln 2 and then below 2^-halvings, summed by Taylor's series and
 * squared back; each squaring doubles the error.
 */
export function exponential(x: Ball, bits: number, workspace: Workspace): Ball {
  const top = topOf(x)
  if (top < -bits - 2) return { middle: 1n << BigInt(bits), radius: 2n, exponent: -bits }
  if (top > 32) throw new CalcError('value', 'a power is too large or too close to 0')
  const halvings = Math.ceil(Math.sqrt(bits))
  const width = bits + 2 * halvings + 40 + Math.max(0, top)
  const w = BigInt(width)
  const { middle, radius } = atExponent(x, -width)
  // With a radius of 1 or more, nothing is known about the power.
  if (radius >> w > 0n) throw new TooWide()
  const ln2 = workspace.ln2(width)
  const doublings = floorDivide(middle, ln2)
  const reduced = (middle - doublings * ln2) >> BigInt(halvings)

  let [sum, term, count] = [1n << w, 1n << w, 0n]
  while (term !== 0n) {
    count += 1n
    term = (term * reduced) >> w
    term /= count
    sum += term
  }
  workspace.spendProducts(Number(count) + halvings, width)
  for (let squaring = 0; squaring < halvings; squaring++) sum = (sum * sum) >> w

  // Each term has an error below 2 units, and ln2 adds 2 for each doubling; squaring doubles that, and e^0.7 < 2.1.
  const lost = (3n * count + 2n * (doublings < 0n ? -doublings : doublings) + 8n) << BigInt(halvings + 2)
  // |e^(x ± r) - e^x| <= 2 r e^x for r < 1.
  const spread = ((2n * radius * (sum + lost)) >> w) + 1n
  return checkMagnitude(
    trim({ middle: sum, radius: lost + spread, exponent: Number(doublings) - width }, bits + 16),
  )
}

/**
 * The natural logarithm of a ball above 0, as ln(f) + k ln 2 with f between 0.7 and 1.4, and ln(f) = 2
 * atanh((f - 1) / (f + 1)).
 * @throws TooWide if the number may be 0 or less.
 */
export function logarithm(x: Ball, bits: number, workspace: Workspace): Ball {
  if (x.middle <= x.radius) throw new TooWide()
  const length = bitLength(x.middle)
  // The first 32 bits decide which of the two neighbouring powers of two is nearer.
  const head = Number(length > 32 ? x.middle >> BigInt(length - 32) : x.middle << BigInt(32 - length))
  const fractionBits = head < 0.7 * 2 ** 32 ? length - 1 : length
  const doublings = x.exponent + fractionBits
  const offset = x.middle - (1n << BigInt(fractionBits))
  if (offset === 0n && doublings === 0 && x.radius === 0n) return exactBall(0n)
  // Near 1 the logarithm is as small as the distance from 1; extra bits compensate for its leading zeros.
  const zeros = doublings === 0 ? Math.min(2 * bits, fractionBits - bitLength(offset)) : 0
  const width = bits + zeros + 48 + bitLength(BigInt(doublings))
  const w = BigInt(width)

  const y = (offset << w) / (x.middle + (1n << BigInt(fractionBits)))
  const square = (y * y) >> w
  let [sum, power, count] = [0n, y, 1n]
  // Right shift rounds down, so a negative power would end at -1 instead of 0.
  for (; power !== 0n && power !== -1n; count += 2n) {
    sum += power / count
    power = (power * square) >> w
  }
  workspace.spendProducts(Number(count) / 2, width)
  const k = BigInt(doublings)
  const lost = 4n * count + 2n * (k < 0n ? -k : k) + 8n
  // |ln(x ± r) - ln(x)| <= r / (x - r).
  const spread = (x.radius << w) / (x.middle - x.radius) + 1n
  const middle = 2n * sum + k * workspace.ln2(width)
  return trim({ middle, radius: lost + spread, exponent: -width }, bits + 16)
}
