import { Bytes, NumberText, type Value } from '../value.ts'

/** Statistics on a column's values, as needed to choose its SQL type. */
export class ColumnKind {
  isBoolean = false
  isText = false
  isNested = false
  isBytes = false
  /** Whether the column has numbers, and whether any has an exponent. */
  isNumber = false
  hasExponent = false
  /** Maximum number of digits before and after the decimal point. */
  wholeDigits = 0
  decimals = 0
  /** Whether every integer fits in 64 bits. */
  fitsInt64 = true

  add(value: Value): void {
    if (value === null) return
    if (typeof value === 'string') this.isText = true
    else if (typeof value === 'boolean') this.isBoolean = true
    else if (value instanceof NumberText) this.#addNumber(value.text)
    else if (value instanceof Bytes) this.isBytes = true
    else this.isNested = true
  }

  /** Whether all values have one type; true for a column that is all null. */
  isUniform(): boolean {
    const kinds = [this.isBoolean, this.isText, this.isNested, this.isBytes, this.isNumber]
    return kinds.filter((is) => is).length <= 1
  }

  #addNumber(text: string): void {
    this.isNumber = true
    const [whole = '', decimals = ''] = text.replace(/^-/, '').split('.')
    if (/[eE]/.test(text)) {
      this.hasExponent = true
      return
    }
    this.wholeDigits = Math.max(this.wholeDigits, whole.length)
    this.decimals = Math.max(this.decimals, decimals.length)
    if (whole.length >= 19 && this.fitsInt64 && decimals === '') this.fitsInt64 = isInt64(text)
  }
}

function isInt64(text: string): boolean {
  return text.length <= 20 && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}
