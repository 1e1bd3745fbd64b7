import { CalcError } from '../calc-error.ts'
import {
  arcCosineOf,
  arcSineOf,
  arcTangentOf,
  arcTangentOfCoordinates,
  cosineOf,
  sineOf,
  tangentOf,
} from '../number/angles.ts'
import { absoluteOf, add, compare, divide, modulo, multiply, negate } from '../number/arithmetic.ts'
import { combinationsOf, factorialOf, gammaOf, permutationsOf } from '../number/factorial.ts'
import { arcoshOf, arsinhOf, artanhOf, coshOf, sinhOf, tanhOf } from '../number/hyperbolic.ts'
import { exponentialOf, logarithmOf, logarithmToBase } from '../number/logarithms.ts'
import {
  floorOfNumber,
  integer,
  multipleOfPi,
  type Numeric,
  signOfNumber,
  toInteger,
} from '../number/number.ts'
import { raise, rootOf } from '../number/power.ts'
import { parseRational, rational } from '../number/rational.ts'
import { commonDivisorOf, commonMultipleOf, powerModuloOf, requireInteger } from '../number/whole-numbers.ts'
import type { Workspace } from '../number/workspace.ts'
import type { FunctionName } from '../syntax/vocabulary.ts'
import {
  addQuantities,
  divideQuantities,
  multiplyQuantities,
  plain,
  type Quantity,
  raiseDimension,
  raiseQuantity,
  requireNoPoint,
  requirePlain,
  requireSameDimension,
} from './quantity.ts'

export type EvaluationContext = {
  readonly workspace: Workspace
  /** The unit of angles that are written without a unit. */
  readonly angle: 'rad' | 'deg'
}

type Evaluator = (args: readonly Quantity[], context: EvaluationContext) => Quantity

const MAX_DECIMALS = 1000n

/** pi/180 */
const DEGREE = multipleOfPi(rational(1n, 180n))

/** Every function of the vocabulary; the parser has already checked the number of arguments. */
export const EVALUATORS: Readonly<Record<FunctionName, Evaluator>> = {
  sqrt: (args, { workspace }) => takeRoot(argument(args, 0), 2n, workspace),
  cbrt: (args, { workspace }) => takeRoot(argument(args, 0), 3n, workspace),
  root: (args, { workspace }) =>
    takeRoot(
      argument(args, 0),
      requireInteger(requirePlain(argument(args, 1), 'a degree'), 'a degree'),
      workspace,
    ),
  pow: (args, { workspace }) => raiseQuantity(argument(args, 0), argument(args, 1), workspace),
  powmod: ofNumbers(([x, y, m], workspace) => powerModuloOf(x, y, m, workspace)),
  exp: ofNumber(exponentialOf),
  ln: ofNumber(logarithmOf),
  log: ofNumbers(([x, base = integer(10)], workspace) => logarithmToBase(x, base, workspace)),
  log2: ofNumber((x, workspace) => logarithmToBase(x, integer(2), workspace)),
  log10: ofNumber((x, workspace) => logarithmToBase(x, integer(10), workspace)),
  sin: ofAngle(sineOf),
  cos: ofAngle(cosineOf),
  tan: ofAngle(tangentOf),
  asin: toAngle(([x], workspace) => arcSineOf(x, workspace)),
  acos: toAngle(([x], workspace) => arcCosineOf(x, workspace)),
  atan: toAngle(([x], workspace) => arcTangentOf(x, workspace)),
  atan2: toAngle(([y, x], workspace) => arcTangentOfCoordinates(y, x, workspace)),
  sinh: ofNumber(sinhOf),
  cosh: ofNumber(coshOf),
  tanh: ofNumber(tanhOf),
  asinh: ofNumber(arsinhOf),
  acosh: ofNumber(arcoshOf),
  atanh: ofNumber(artanhOf),
  abs: (args, { workspace }) => {
    const x = requireNoPoint(argument(args, 0))
    return { ...x, number: absoluteOf(x.number, workspace) }
  },
  sign: (args, { workspace }) =>
    plain(integer(signOfNumber(requireNoPoint(argument(args, 0)).number, workspace))),
  floor: ofNumber(floorOf),
  ceil: ofNumber(ceilingOf),
  trunc: ofNumber(truncationOf),
  round: ofNumbers(([x, digits = integer(0)], workspace) => roundOf(x, digits, workspace)),
  mod: ofNumbers(([x, y], workspace) => modulo(x, y, workspace)),
  min: (args, { workspace }) => pickExtreme(args, -1, workspace),
  max: (args, { workspace }) => pickExtreme(args, 1, workspace),
  sum: (args, { workspace }) => sumOf(args, workspace),
  mean: (args, { workspace }) =>
    divideQuantities(sumOf(args, workspace), plain(integer(args.length)), workspace),
  median: (args, { workspace }) => medianOf(args, workspace),
  hypot: (args, { workspace }) => {
    const squares = args.map((arg) => multiplyQuantities(arg, arg, workspace))
    return takeRoot(sumOf(squares, workspace), 2n, workspace)
  },
  gcd: ofNumbers((numbers, workspace) => commonDivisorOf(numbers, workspace)),
  lcm: ofNumbers((numbers, workspace) => commonMultipleOf(numbers, workspace)),
  factorial: ofNumber(factorialOf),
  gamma: ofNumber(gammaOf),
  nCr: ofNumbers(([n, k], workspace) => combinationsOf(n, k, workspace)),
  nPr: ofNumbers(([n, k], workspace) => permutationsOf(n, k, workspace)),
}

/** At least one number; the parser has checked how many more there are. */
type Numbers = readonly [Numeric, Numeric, Numeric, ...Numeric[]]

function ofNumber(compute: (x: Numeric, workspace: Workspace) => Numeric): Evaluator {
  return (args, { workspace }) => plain(compute(requirePlain(argument(args, 0), 'the argument'), workspace))
}

function ofNumbers(compute: (numbers: Numbers, workspace: Workspace) => Numeric): Evaluator {
  return (args, { workspace }) => {
    const numbers = args.map((arg) => requirePlain(arg, 'an argument'))
    // The parser has checked their number against the vocabulary.
    return plain(compute(numbers as unknown as Numbers, workspace))
  }
}

/** A function of an angle: an angle with a unit is used as it is, a plain number is in the requested unit. */
function ofAngle(compute: (x: Numeric, workspace: Workspace) => Numeric): Evaluator {
  return (args, { workspace, angle }) => {
    const x = argument(args, 0)
    const number = requirePlain(x, 'an angle')
    const isDegrees = angle === 'deg' && x.units.length === 0
    return plain(compute(isDegrees ? multiply(number, DEGREE, workspace) : number, workspace))
  }
}

function toAngle(compute: (numbers: Numbers, workspace: Workspace) => Numeric): Evaluator {
  return (args, { workspace, angle }) => {
    const radians = compute(
      args.map((arg) => requirePlain(arg, 'an argument')) as unknown as Numbers,
      workspace,
    )
    if (angle === 'rad') return plain(radians)
    return plain(divide(radians, DEGREE, workspace))
  }
}

function takeRoot(x: Quantity, degree: bigint, workspace: Workspace): Quantity {
  const number = rootOf(requireNoPoint(x).number, degree, workspace)
  if (x.units.length === 0) return { ...x, number }
  return { ...x, number, ...raiseDimension(x, { kind: 'rational', value: rational(1n, degree) }) }
}

function pickExtreme(args: readonly Quantity[], sign: 1 | -1, workspace: Workspace): Quantity {
  return args.reduce((best, arg) => {
    requireSameDimension(best, arg)
    return compare(arg.number, best.number, workspace) === sign ? arg : best
  })
}

function sumOf(args: readonly Quantity[], workspace: Workspace): Quantity {
  return args.reduce((sum, arg) => addQuantities(sum, arg, workspace))
}

/** The middle one, or the mean of the two in the middle. */
function medianOf(args: readonly Quantity[], workspace: Workspace): Quantity {
  for (const arg of args) requireSameDimension(argument(args, 0), arg)
  const sorted = args.toSorted((a, b) => compare(a.number, b.number, workspace))
  const [low, high] = [argument(sorted, (args.length - 1) >> 1), argument(sorted, args.length >> 1)]
  if (low === high) return low
  return divideQuantities(addQuantities(low, high, workspace), plain(integer(2)), workspace)
}

function argument(args: readonly Quantity[], at: number): Quantity {
  const found = args[at]
  if (!found) throw new TypeError(`argument ${at + 1} is missing, although the parser counted the arguments`)
  return found
}

function floorOf(x: Numeric, workspace: Workspace): Numeric {
  return integer(floorOfNumber(x, workspace))
}

function ceilingOf(x: Numeric, workspace: Workspace): Numeric {
  return negate(floorOf(negate(x), workspace))
}

/** Rounds towards 0. */
function truncationOf(x: Numeric, workspace: Workspace): Numeric {
  return signOfNumber(x, workspace) < 0 ? ceilingOf(x, workspace) : floorOf(x, workspace)
}

/** Rounds to this many decimals, -1000 to 1000; halves are rounded away from 0. */
function roundOf(x: Numeric, decimals: Numeric, workspace: Workspace): Numeric {
  const places = toInteger(decimals)
  if (places === null || places > MAX_DECIMALS || places < -MAX_DECIMALS)
    throw new CalcError('value', 'round takes a whole number of decimals from -1000 to 1000')
  if (signOfNumber(x, workspace) < 0) return negate(roundOf(negate(x), decimals, workspace))
  const scale = raise(integer(10), decimals, workspace)
  const half: Numeric = { kind: 'rational', value: parseRational('1/2') }
  const scaled = add(multiply(x, scale, workspace), half, workspace)
  return divide(floorOf(scaled, workspace), scale, workspace)
}
