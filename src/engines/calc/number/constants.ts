/** Guard bits of the sums below: more than the logarithm of their rounding errors. */
const GUARD_BITS = 32

/** Pi times 2^bits, with an error below 1: 16 atan(1/5) - 4 atan(1/239) (Machin 1706). */
export function piToBits(bits: number): bigint {
  const one = 1n << BigInt(bits + GUARD_BITS)
  return (16n * inverseSeries(one, 5n, -1n) - 4n * inverseSeries(one, 239n, -1n)) >> BigInt(GUARD_BITS)
}

/** ln 2 times 2^bits, with an error below 1: 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749). */
export function ln2ToBits(bits: number): bigint {
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
