import { CalcError } from '../calc-error.ts'
import type { Workspace } from '../workspace.ts'
import { add } from './arithmetic.ts'
import { gamma } from './gamma.ts'
import { bitLength, rangeProduct } from './integer.ts'
import type { Numeric } from './number.ts'
import { checkIntegerSize, integer, liftOne, MAX_INTEGER_BITS, toInteger } from './number.ts'

/** 20000! has 77,338 digits. */
const MAX_FACTORIAL = 20_000n

/**
 * n!; gamma(x + 1) for other numbers.
 * @throws CalcError above 20,000 and at negative whole numbers.
 */
export function factorialOf(x: Numeric, workspace: Workspace): Numeric {
  const whole = toInteger(x)
  if (whole === null) return gammaOf(add(x, integer(1), workspace), workspace)
  return integer(product({ first: 1n, count: toFactorialArgument(whole), step: 1n }, workspace))
}

/**
 * n!! = n (n - 2) (n - 4) ...
 * @throws CalcError unless n is a whole number from 0 to 20,000.
 */
export function doubleFactorialOf(x: Numeric, workspace: Workspace): Numeric {
  const whole = toInteger(x)
  if (whole === null) throw new CalcError('value', 'the operand of !! must be a whole number')
  const last = toFactorialArgument(whole)
  const first = last % 2 === 0 ? 2n : 1n
  return integer(product({ first, count: Math.ceil(last / 2), step: 2n }, workspace))
}

/**
 * Gamma; (n - 1)! at whole numbers.
 * @throws CalcError at 0 and negative whole numbers.
 */
export function gammaOf(x: Numeric, workspace: Workspace): Numeric {
  const whole = toInteger(x)
  if (whole === null) return liftOne(x, workspace, (ball, bits) => gamma(ball, bits, workspace))
  if (whole < 1n) throw new CalcError('value', 'gamma is not defined at 0 and negative whole numbers')
  return factorialOf(integer(whole - 1n), workspace)
}

/**
 * n! / (n - k)!: ordered choices.
 * @throws CalcError unless both are non-negative whole numbers within the limits.
 */
export function permutationsOf(n: Numeric, k: Numeric, workspace: Workspace): Numeric {
  const [total, chosen] = toChoice(n, k, 'nPr')
  if (chosen > total) return integer(0)
  return integer(fallingProduct(total, toFactorialArgument(chosen), workspace))
}

/**
 * n! / (k! (n - k)!): unordered choices.
 * @throws CalcError as `permutationsOf`.
 */
export function combinationsOf(n: Numeric, k: Numeric, workspace: Workspace): Numeric {
  const [total, chosen] = toChoice(n, k, 'nCr')
  if (chosen > total) return integer(0)
  const count = toFactorialArgument(2n * chosen > total ? total - chosen : chosen)
  const ordered = fallingProduct(total, count, workspace)
  const repeats = product({ first: 1n, count, step: 1n }, workspace)
  workspace.spendDivision(ordered, repeats)
  return integer(ordered / repeats)
}

function toFactorialArgument(whole: bigint): number {
  if (whole < 0n) throw new CalcError('value', 'the factorial of a negative whole number is not defined')
  if (whole > MAX_FACTORIAL)
    throw new CalcError(
      'value',
      `the argument of a factorial, nCr or nPr is too large (limit ${MAX_FACTORIAL})`,
    )
  return Number(whole)
}

function toChoice(n: Numeric, k: Numeric, name: string): readonly [bigint, bigint] {
  const [total, chosen] = [toInteger(n), toInteger(k)]
  if (total === null || chosen === null || total < 0n || chosen < 0n)
    throw new CalcError('value', `${name} takes two non-negative whole numbers`)
  return [total, chosen]
}

function fallingProduct(total: bigint, count: number, workspace: Workspace): bigint {
  return product({ first: total - BigInt(count) + 1n, count, step: 1n }, workspace)
}

type Range = { readonly first: bigint; readonly count: number; readonly step: bigint }

function product({ first, count, step }: Range, workspace: Workspace): bigint {
  const maxFactorBits = bitLength(first + step * BigInt(count))
  const bits = maxFactorBits * count
  // The result is shorter than the product that it is computed from.
  if (bits > 2 * MAX_INTEGER_BITS) checkIntegerSize(bits)
  // The last products, each of half the length, take about as long as all earlier ones.
  workspace.spend(300 * count)
  workspace.spendProducts(2, bits / 2)
  return rangeProduct(first, count, step)
}
