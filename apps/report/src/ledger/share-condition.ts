/** SQL: a sum is at least this percentage of another; in two parts, since products may exceed 64 bits. */
export function toShareCondition(part: string, whole: string, percent: number): string {
  return `${part} >= intDiv(${whole}, 100) * ${percent} + intDiv(${whole} % 100 * ${percent} + 99, 100)`
}
