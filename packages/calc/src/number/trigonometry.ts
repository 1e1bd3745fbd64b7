import { CalcError } from '../calc-error.ts'
import type { Ball } from './ball.ts'
import {
  atExponent,
  divideBalls,
  exactBall,
  negateBall,
  signOf,
  subtractBalls,
  topOf,
  trim,
  widen,
} from './ball.ts'
import { floorDivide, integerRoot } from './integer.ts'
import type { Workspace } from './workspace.ts'

/** A longer angle needs that many more bits of pi. */
const MAX_ANGLE_TOP = 4096

/** Pi as a ball. */
export function piBall(bits: number, workspace: Workspace): Ball {
  return { middle: workspace.pi(bits), radius: 2n, exponent: -bits }
}

/**
 * Sine and cosine of an angle in radians. The angle is reduced to ±pi/4 by quarter turns, then below
 * 2^-halvings, summed by Taylor's series, and doubled back as a complex square, which doubles the error.
 */
export function sineAndCosine(x: Ball, bits: number, workspace: Workspace): { sine: Ball; cosine: Ball } {
  const top = topOf(x)
  if (top < -bits - 2) {
    // sin x = x (1 - x²/6 + ...) and cos x = 1 - x²/2 + ..., so both errors are below x².
    const one = { middle: 1n << BigInt(bits), radius: 1n, exponent: -bits }
    return { sine: top === Number.NEGATIVE_INFINITY ? x : widen(x, 1n, top - bits), cosine: one }
  }
  if (top > MAX_ANGLE_TOP) throw new CalcError('value', `an angle is too large (limit 2^${MAX_ANGLE_TOP})`)
  const halvings = Math.ceil(Math.sqrt(bits) / 2)
  const width = bits + 2 * halvings + 40 + Math.abs(top)
  const w = BigInt(width)
  const { middle, radius } = atExponent(x, -width)
  const pi = workspace.pi(width)
  const quarters = floorDivide(4n * middle + pi, 2n * pi)
  const reduced = (2n * middle - quarters * pi) >> BigInt(halvings + 1)
  const { sine, cosine, count } = sumSeries(reduced, w)
  workspace.spendProducts(count + 3 * halvings, width)
  let [s, c] = [sine, cosine]
  for (let doubling = 0; doubling < halvings; doubling++) [s, c] = [(s * c) >> (w - 1n), (c * c - s * s) >> w]

  const size = quarters < 0n ? -quarters : quarters
  const lost = (BigInt(2 * count + 8) << BigInt(halvings + 1)) + 2n * size + 4n + radius
  const toBall = (value: bigint) => trim({ middle: value, radius: lost, exponent: -width }, bits + 16)
  const turned = [
    [s, c],
    [c, -s],
    [-s, -c],
    [-c, s],
  ][Number(((quarters % 4n) + 4n) % 4n)] ?? [s, c]
  return { sine: toBall(turned[0] ?? s), cosine: toBall(turned[1] ?? c) }
}

/** Taylor's series of both functions in one pass, times 2^w; `count` is the number of terms summed. */
function sumSeries(x: bigint, w: bigint): { sine: bigint; cosine: bigint; count: number } {
  let [sine, cosine, term, k] = [x, 1n << w, x, 1n]
  while (term !== 0n && term !== -1n) {
    k += 1n
    term = ((term * x) >> w) / k
    // The terms are x, x²/2, x³/6, ..., with the signs + - - + repeating from x²/2 on.
    const signed = (k / 2n) % 2n === 1n ? -term : term
    if (k % 2n === 0n) cosine += signed
    else sine += signed
  }
  return { sine, cosine, count: Number(k) }
}

/** The angle between -pi/2 and pi/2 whose tangent is x. */
export function arcTangent(x: Ball, bits: number, workspace: Workspace): Ball {
  const top = topOf(x)
  // atan x = x (1 - x²/3 + ...).
  if (top < -bits / 2 - 4) return top === Number.NEGATIVE_INFINITY ? x : widen(x, 1n, 3 * top)
  if (top > 1) {
    const inverse = arcTangent(divideBalls(exactBall(1n), x, bits + 8), bits, workspace)
    const quarter = { ...piBall(bits + 8, workspace), exponent: -bits - 9 }
    return subtractBalls(signOf(x) === -1 ? negateBall(quarter) : quarter, inverse, bits + 8)
  }
  const halvings = Math.ceil(Math.sqrt(bits) / 2)
  const width = bits + 2 * halvings + 40 + Math.max(0, -top)
  const w = BigInt(width)
  const { middle, radius } = atExponent(x, -width)
  const one = 1n << w
  // tan(a/2) = t / (1 + sqrt(1 + t²)); each step halves the previous errors.
  let tangent = middle
  for (let halving = 0; halving < halvings; halving++)
    tangent = (tangent << w) / (one + integerRoot((one << w) + tangent * tangent, 2))
  const square = (tangent * tangent) >> w
  let [sum, power, k] = [tangent, tangent, 1n]
  while (power !== 0n && power !== -1n) {
    k += 2n
    power = -((power * square) >> w)
    sum += power / k
  }
  // A root costs about as much as eight products.
  workspace.spendProducts(Number(k) / 2 + 10 * halvings, width)
  const lost = (2n * k + 16n) << BigInt(halvings)
  return trim({ middle: sum << BigInt(halvings), radius: lost + radius, exponent: -width }, bits + 16)
}
