/**
 * The SQL condition that a sum is at least this many percent of another. Rounded up in two parts, since a
 * product of sums could exceed 64 bits.
 * @param part expression of a UInt64, as is `whole`
 */
export function toShareCondition(part: string, whole: string, percent: number): string {
  return `${part} >= intDiv(${whole}, 100) * ${percent} + intDiv(${whole} % 100 * ${percent} + 99, 100)`
}
