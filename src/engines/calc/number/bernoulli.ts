import type { Rational } from './rational.ts'
import { addRationals, multiplyRationals, ONE, rational, ZERO } from './rational.ts'

/**
 * The Bernoulli number after B0 to B(n - 1), since the sum of binomial(n + 1, k) Bk over k <= n is 0. B1 is
 * -1/2.
 */
export function nextBernoulli(known: readonly Rational[]): Rational {
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
