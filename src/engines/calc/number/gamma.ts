import { CalcError } from '../calc-error.ts'
import type { Workspace } from '../workspace.ts'
import type { Ball } from './ball.ts'
import {
  addBalls,
  ballOf,
  divideBalls,
  exactBall,
  multiplyBalls,
  signOf,
  subtractBalls,
  TooWide,
  topOf,
  widen,
} from './ball.ts'
import { checkMagnitude, exponential, logarithm } from './elementary.ts'
import { multiplyRationals, rational } from './rational.ts'
import { piBall, sineAndCosine } from './trigonometry.ts'

/** Beyond this, the logarithm of gamma has so many digits that its power exceeds the limits anyway. */
const MAX_TOP = 40
const MAX_BITS = 2048

/**
 * The gamma function of any number except whole numbers below 1: by Stirling's series for an argument shifted
 * above bits/4, and by Γ(x) Γ(1 - x) = pi / sin(pi x) below 1/2.
 * @see https://dlmf.nist.gov/5.11 (the error is below the first omitted term, 5.11(ii))
 */
export function gamma(x: Ball, bits: number, workspace: Workspace): Ball {
  if (bits > MAX_BITS) throw new TooWide()
  if (topOf(x) > MAX_TOP) throw new CalcError('value', 'the factorial or gamma of a number is too large')
  const half = exactBall(1n, -1)
  const side = signOf(subtractBalls(x, half, bits))
  if (side === null && signOf(x) !== 1) throw new TooWide()
  return checkMagnitude(side === -1 ? reflect(x, bits, workspace) : stirling(x, bits, workspace))
}

function reflect(x: Ball, bits: number, workspace: Workspace): Ball {
  const pi = piBall(bits + 16, workspace)
  const { sine } = sineAndCosine(multiplyBalls(pi, x, bits + 16), bits, workspace)
  const other = stirling(subtractBalls(exactBall(1n), x, bits + 16), bits, workspace)
  return divideBalls(pi, multiplyBalls(sine, other, bits + 16), bits)
}

function stirling(x: Ball, bits: number, workspace: Workspace): Ball {
  const width = bits + 64
  let [z, product] = [x, exactBall(1n)]
  while (topOf(z) < Math.log2(bits / 4) + 1) {
    product = multiplyBalls(product, z, width)
    z = addBalls(z, exactBall(1n), width)
    workspace.spendProducts(2, width)
  }
  // ln Γ(z) = (z - 1/2) ln z - z + ln(2 pi) / 2 + the sum of B2k / (2k (2k - 1) z^(2k - 1)).
  const logZ = logarithm(z, width, workspace)
  const twoPi = { ...piBall(width, workspace), exponent: 1 - width }
  const start = [
    multiplyBalls(subtractBalls(z, exactBall(1n, -1), width), logZ, width),
    { ...z, middle: -z.middle },
    multiplyBalls(logarithm(twoPi, width, workspace), exactBall(1n, -1), width),
  ].reduce((sum, ball) => addBalls(sum, ball, width))
  const inverse = divideBalls(exactBall(1n), z, width)
  const square = multiplyBalls(inverse, inverse, width)
  let [sum, power] = [start, inverse]
  for (let index = 2; ; index += 2) {
    const factor = multiplyRationals(workspace.bernoulli(index), rational(1n, BigInt(index * (index - 1))))
    const term = multiplyBalls(ballOf(factor, width), power, width)
    if (topOf(term) < -width) {
      sum = widen(sum, 1n, -width)
      break
    }
    sum = addBalls(sum, term, width)
    power = multiplyBalls(power, square, width)
    workspace.spendProducts(5, width)
  }
  return divideBalls(exponential(sum, width, workspace), product, bits + 16)
}
