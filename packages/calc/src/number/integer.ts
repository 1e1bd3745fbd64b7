/** Bits of the absolute value; 0 for 0. */
export function bitLength(value: bigint): number {
  if (value === 0n) return 0
  const hex = (value < 0n ? -value : value).toString(16)
  return 4 * hex.length - Math.clz32(Number.parseInt(hex.charAt(0), 16)) + 28
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** The quotient rounded down (BigInt division rounds towards zero); the divisor must not be 0. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const isExact = quotient * divisor === dividend
  return !isExact && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient
}

/** Never negative; gcd(0, 0) is 0. */
export function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  let [a, b] = [absolute(one), absolute(other)]
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

/**
 * The root of a non-negative `value` to a `degree` of at least 1, rounded down. Newton's method from above,
 * starting at the root of the first half of the bits, so that only two or three steps have full length.
 */
export function integerRoot(value: bigint, degree: number): bigint {
  if (value < 2n || degree === 1) return value
  const k = BigInt(degree)
  const length = bitLength(value)
  const half = Math.floor(length / (2 * degree))
  let root =
    half < 16
      ? 1n << BigInt(Math.ceil(length / degree))
      : (integerRoot(value >> BigInt(half * degree), degree) + 1n) << BigInt(half)
  for (;;) {
    const next = ((k - 1n) * root + value / root ** (k - 1n)) / k
    if (next >= root) return root
    root = next
  }
}

/** `base` to the `exponent` (0 or more) modulo a positive number, 0 to modulus - 1. */
export function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus
  let square = ((base % modulus) + modulus) % modulus
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/**
 * The product of `count` numbers starting at `first`, each larger by `step`, split in halves so that factors
 * stay of similar size.
 */
export function rangeProduct(first: bigint, count: number, step = 1n): bigint {
  if (count > 8) {
    const half = count >> 1
    return rangeProduct(first, half, step) * rangeProduct(first + BigInt(half) * step, count - half, step)
  }
  let product = 1n
  for (let index = 0; index < count; index++) product *= first + BigInt(index) * step
  return product
}
