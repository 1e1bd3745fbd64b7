import { CalcError } from '../calc-error.ts'
import type { Format, Node } from '../syntax/node.ts'

const BASES: Readonly<Partial<Record<Format, readonly [prefix: string, radix: number]>>> = {
  hex: ['0x', 16],
  octal: ['0o', 8],
  binary: ['0b', 2],
}

type Printed = {
  readonly result: string
  readonly kind: string
  readonly exact: boolean
  readonly fraction: string | null
}

/** The result as `0xff`, `0b101`, `0o17` or `3/4`. @throws CalcError if the value cannot be written so. */
export function formatResult(
  { result, kind, exact, fraction }: Printed,
  { format, column }: Extract<Node, { kind: 'show' }>,
): string {
  if (format === 'decimal') return result
  if (format === 'fraction') {
    if (exact && kind !== 'quantity') return fraction ?? result
    throw new CalcError('value', 'only an exact number without a unit can be written as a fraction', column)
  }
  const [prefix, radix] = BASES[format] ?? ['', 10]
  if (kind !== 'integer' || !exact)
    throw new CalcError('value', `only a whole number can be written in ${format}`, column)
  const value = BigInt(result)
  return `${value < 0n ? '-' : ''}${prefix}${(value < 0n ? -value : value).toString(radix)}`
}
