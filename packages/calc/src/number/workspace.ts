import { CalcError } from '../calc-error.ts'
import { bitLength } from './integer.ts'
import { addRationals, multiplyRationals, ONE, type Rational, rational, ZERO } from './rational.ts'

/** Guard bits of the sums below: more than the logarithm of their rounding errors. */
const GUARD_BITS = 32

/**
 * The state of one calculation: its remaining work budget and the constants computed so far.
 * Work is estimated in nanoseconds of a slow core rather than measured, so that an expression has the same
 * outcome on every machine and under any load.
 */
export class Workspace {
  #left: number
  readonly #pi = new FixedConstant(piToBits)
  readonly #ln2 = new FixedConstant(ln2ToBits)
  readonly #bernoulli: Rational[] = []

  constructor(budget: number) {
    this.#left = budget
  }

  /** Charges work to the budget before it is done. @throws CalcError of kind `budget` if the budget is exceeded. */
  spend(work: number): void {
    this.#left -= work
    if (this.#left < 0) throw new CalcError('budget', 'the expression takes too long to compute')
  }

  /** Charges `count` products of two numbers of this many bits, with the additions and shifts around them. */
  spendProducts(count: number, bits: number): void {
    // Fitted to BigInt on V8: 0.1 us at 4 words, 10 us at 64, 1.6 ms at 1024, 7 ms at 4096, and its allocations.
    this.spend(count * (1000 + 35 * (bits / 64) ** 1.5))
  }

  /** Charges one product of numbers of different lengths. */
  spendProduct(one: bigint, other: bigint): void {
    this.spendProducts(1, Math.sqrt(bitLength(one) * bitLength(other)))
  }

  /** Charges a division, whose cost grows with the lengths of quotient and divisor. */
  spendDivision(dividend: bigint, divisor: bigint): void {
    const [length, divisorLength] = [bitLength(dividend), bitLength(divisor)]
    this.spendProducts(3, Math.sqrt(Math.max(64, length - divisorLength) * divisorLength))
  }

  /** Charges a greatest common divisor by Euclid's algorithm: 0.6 divisions per bit. */
  spendDivisor(bits: number): void {
    this.spend(bits * (100 + bits / 16))
  }

  /** The Bernoulli number with this index; B1 is -1/2. */
  bernoulli(index: number): Rational {
    while (this.#bernoulli.length <= index) {
      // Two divisors of short numbers for each earlier number, half of which are 0.
      this.spend(3000 * this.#bernoulli.length)
      this.#bernoulli.push(nextBernoulli(this.#bernoulli))
    }
    return this.#bernoulli[index] ?? ZERO
  }

  /** Pi times 2^bits, with an error below 2. */
  pi(bits: number): bigint {
    return this.#pi.at(bits, this)
  }

  /** The natural logarithm of 2 times 2^bits, with an error below 2. */
  ln2(bits: number): bigint {
    return this.#ln2.at(bits, this)
  }
}

/** Caches the longest value of a constant that was needed so far. */
class FixedConstant {
  readonly #compute: (bits: number) => bigint
  #bits = 0
  #value = 0n

  constructor(compute: (bits: number) => bigint) {
    this.#compute = compute
  }

  at(bits: number, workspace: Workspace): bigint {
    if (bits > this.#bits) {
      // Both series take about 0.6 divisions by a small number per bit.
      workspace.spend(bits * (100 + bits / 4))
      this.#bits = bits
      this.#value = this.#compute(bits)
    }
    return this.#value >> BigInt(this.#bits - bits)
  }
}

/**
 * The Bernoulli number after B0 to B(n - 1), since the sum of binomial(n + 1, k) Bk over k <= n is 0. B1 is
 * -1/2.
 */
function nextBernoulli(known: readonly Rational[]): Rational {
  const n = known.length
  if (n === 0) return ONE
  if (n > 1 && n % 2 === 1) return ZERO
  let [sum, binomial] = [ZERO, 1n]
  known.forEach((bernoulli, k) => {
    if (bernoulli.numerator !== 0n) sum = addRationals(sum, multiplyRationals(bernoulli, rational(binomial)))
    binomial = (binomial * BigInt(n + 1 - k)) / BigInt(k + 1)
  })
  return multiplyRationals(sum, rational(-1n, BigInt(n + 1)))
}

/** Pi times 2^bits, with an error below 1: 16 atan(1/5) - 4 atan(1/239) (Machin 1706). */
function piToBits(bits: number): bigint {
  const one = 1n << BigInt(bits + GUARD_BITS)
  return (16n * inverseSeries(one, 5n, -1n) - 4n * inverseSeries(one, 239n, -1n)) >> BigInt(GUARD_BITS)
}

/** ln 2 times 2^bits, with an error below 1: 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749). */
function ln2ToBits(bits: number): bigint {
  const one = 1n << BigInt(bits + GUARD_BITS)
  const sum =
    18n * inverseSeries(one, 26n, 1n) -
    2n * inverseSeries(one, 4801n, 1n) +
    8n * inverseSeries(one, 8749n, 1n)
  return sum >> BigInt(GUARD_BITS)
}

/** atanh(1/x) for sign 1 and atan(1/x) for sign -1: the sum of sign^k / ((2k + 1) x^(2k + 1)), times `one`. */
function inverseSeries(one: bigint, x: bigint, sign: 1n | -1n): bigint {
  const square = sign * x * x
  let power = one / x
  let sum = 0n
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += power / k
    power /= square
  }
  return sum
}
