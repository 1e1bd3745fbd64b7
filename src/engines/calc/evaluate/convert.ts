import { CalcError } from '../calc-error.ts'
import { divide, multiply } from '../number/arithmetic.ts'
import { integer, multipleOfPi, type Numeric } from '../number/number.ts'
import { rational } from '../number/rational.ts'
import { combine, type Dimension, isSameDimension, NO_DIMENSION, withoutAngle } from '../unit/dimension.ts'
import { printUnits } from '../unit/unit-product.ts'
import type { Workspace } from '../workspace.ts'
import type { Quantity } from './quantity.ts'

const FREQUENCY: Dimension = { s: -1 }
const ROTATION: Dimension = { s: -1, rad: 1 }

/**
 * Converts a quantity to the units of another. Besides units of the same dimension, these convert: radians
 * and plain numbers; rotational speeds and frequencies (1 rpm is 1/60 Hz); and reciprocals, such as miles per
 * gallon and litres per kilometre.
 * @throws CalcError if the units measure different things.
 */
export function convertQuantity(from: Quantity, to: Quantity, workspace: Workspace): Quantity {
  const shown = { units: to.units, isMeasured: from.isMeasured || to.isMeasured, dimension: to.dimension }
  if (isSameDimension(withoutAngle(from.dimension), withoutAngle(to.dimension))) {
    const [only, ...others] = to.units
    const isPoint = others.length === 0 && only?.power === 1 && only.unit.offset !== null
    return { ...shown, isPoint, number: countTurns(from, to, workspace) }
  }
  if (!from.isPoint && isSameDimension(from.dimension, combine(NO_DIMENSION, to.dimension, -1)))
    return { ...shown, isPoint: false, number: divide(integer(1), from.number, workspace) }
  const [one, other] = [from, to].map(({ units }) => printUnits(units) || 'a plain number')
  throw new CalcError('value', `cannot convert ${one} to ${other}: they measure different things`)
}

/** Between an angle per time and a frequency, one turn counts as one cycle. */
function countTurns(from: Quantity, to: Quantity, workspace: Workspace): Numeric {
  const turn = multipleOfPi(rational(2n))
  const isPair = (one: Dimension, other: Dimension) =>
    isSameDimension(from.dimension, one) && isSameDimension(to.dimension, other)
  if (isPair(ROTATION, FREQUENCY)) return divide(from.number, turn, workspace)
  if (isPair(FREQUENCY, ROTATION)) return multiply(from.number, turn, workspace)
  return from.number
}
