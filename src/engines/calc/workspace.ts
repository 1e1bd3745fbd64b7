import { CalcError } from './calc-error.ts'
import { nextBernoulli } from './number/bernoulli.ts'
import { ln2ToBits, piToBits } from './number/constants.ts'
import { bitLength } from './number/integer.ts'
import type { Rational } from './number/rational.ts'
import { ZERO } from './number/rational.ts'

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

  /**
   * Charges work to the budget before it is done.
   * @throws CalcError of kind `budget` if the budget is exceeded.
   */
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
