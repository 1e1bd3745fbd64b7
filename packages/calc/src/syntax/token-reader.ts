import { CalcError } from '../calc-error.ts'
import { isDimensionless, isSameDimension } from '../unit/dimension.ts'
import { findUnit, type Unit } from '../unit/find-unit.ts'
import type { Format } from './node.ts'
import type { Token } from './token-type.ts'

/** Limit on nested parentheses, signs, powers and arguments. */
const MAX_NESTING = 100

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['hex', 'hex'],
  ['hexadecimal', 'hex'],
  ['binary', 'binary'],
  ['bin', 'binary'],
  ['octal', 'octal'],
  ['oct', 'octal'],
  ['decimal', 'decimal'],
  ['dec', 'decimal'],
  ['fraction', 'fraction'],
])
const SUPERSCRIPT = /^[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+$/
/** What starts a new expression, looking backwards. */
const BOUNDARIES = new Set([',', '<', '<=', '>', '>=', '=', '!='])

export class TokenReader {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  /** The last token must be the end token, which is returned for every position after it. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  next(ahead = 0): Token {
    const token = this.#tokens[Math.max(0, Math.min(this.#at + ahead, this.#tokens.length - 1))]
    if (!token) throw new RangeError('unreachable: the last token is the end')
    return token
  }

  skip(count = 1): void {
    this.#at += count
  }

  /** Consumes this symbol if it is next. */
  take<Text extends string>(text: Text): Text | null {
    const { kind, text: found } = this.next()
    if (kind !== 'symbol' || found !== text) return null
    this.skip()
    return text
  }

  /** Consumes a power in superscript, and returns it in plain digits. */
  takeSuperscript(): string | null {
    const { kind, text } = this.next()
    if (kind !== 'symbol' || !SUPERSCRIPT.test(text)) return null
    this.skip()
    return text.normalize('NFKC').replace('−', '-').replace('+', '')
  }

  /** @throws CalcError if another symbol is next. */
  expect(text: string, otherwise: string): void {
    const { text: found, column } = this.next()
    if (!this.take(text)) throw new CalcError('syntax', `${otherwise} before ${found}`, column)
  }

  /** Consumes `to` or the conversion operator `in`, unless a format follows. */
  takeConversion(): boolean {
    if (this.#formatAfter() !== null) return false
    const isNext = this.next().text === 'to' ? this.next().kind === 'symbol' : this.#isConversionIn()
    if (isNext) this.skip()
    return isNext
  }

  /** Consumes `to hex` or `in binary`. */
  takeFormat(): Format | null {
    const format = this.#formatAfter()
    if (format !== null) this.skip(2)
    return format
  }

  #formatAfter(): Format | null {
    const { kind, text } = this.next()
    const isOperator = (kind === 'symbol' && text === 'to') || (kind === 'name' && text === 'in')
    return isOperator ? (FORMATS.get(this.next(1).text.toLowerCase()) ?? null) : null
  }

  /** Whether a conversion follows anywhere. */
  hasConversionAhead(): boolean {
    return this.#tokens.slice(this.#at).some(({ text }) => text === 'to' || text === 'in')
  }

  /** Whether a name, root or parenthesis is next, which makes an implicit product. */
  startsFactor(): boolean {
    const { kind, text } = this.next()
    if (kind === 'name') return this.#formatAfter() === null && !this.#isConversionIn() && !this.#isStrayIn()
    return kind === 'symbol' && (text === '(' || text === '√' || text === '∛')
  }

  /**
   * Whether the next token is a `%` followed by an operand and means modulo, not percent: `10% 3` lacks an
   * operator.
   */
  isModulo(): boolean {
    const [sign, operand] = [this.next(), this.next(1)]
    const isConversion = operand.text === 'in' && operand.isAfterSpace
    const hasOperand =
      operand.kind === 'number' || (operand.kind === 'name' && !isConversion) || operand.text === '('
    return sign.text === '%' && hasOperand && (sign.isAfterSpace || !operand.isAfterSpace)
  }

  /** Reads a nested construct. @throws CalcError if the nesting is too deep. */
  nested<Read>(read: () => Read): Read {
    if (++this.#depth > MAX_NESTING)
      throw new CalcError('syntax', `too many nested levels (limit ${MAX_NESTING})`, this.next().column)
    const result = read()
    this.#depth--
    return result
  }

  unexpected(): CalcError {
    const { kind, text, column } = this.next()
    if (kind === 'number') return missingOperator(column)
    if (kind === 'end')
      return new CalcError('syntax', 'unexpected end of expression (expected a value)', column)
    const hint = text === ',' ? ' (commas separate arguments, or group digits as in 1,234.5)' : ''
    return new CalcError('syntax', `unexpected ${text}${hint}`, column)
  }

  /**
   * `in` converts if a quantity precedes and a unit follows: `1 m^2 in cm^2`, `1 day / 24 in h`. Otherwise it
   * is the inch: `5 ft 6 in to cm`, `6 in in cm`.
   */
  #isConversionIn(): boolean {
    const { kind, text, column } = this.next()
    if (kind !== 'name' || text !== 'in' || !this.#startsTarget(1)) return false
    if (!this.#followsNumber()) return true
    const target = findUnit(this.next(1).text)
    if (this.next(1).text === '%' || (target && isDimensionless(target.dimension))) return true
    if (this.next(1).text === 'in' && this.#startsTarget(2)) return false
    if (this.#hasQuantity()) return true
    if (target && isForce(target)) return false
    throw new CalcError(
      'syntax',
      'the number before in has no unit that could be converted (for inches, write inch)',
      column,
    )
  }

  /** Whether `in` follows a unit without a target, and is no lever of a torque: `5 ft in`. */
  #isStrayIn(): boolean {
    const before = this.next(-1)
    if (this.next().text !== 'in' || before.kind !== 'name') return false
    const unit = findUnit(before.text)
    return unit !== null && !isForce(unit) && !isSameDimension(unit.dimension, { kg: 1 })
  }

  #startsTarget(ahead: number): boolean {
    const { kind, text } = this.next(ahead)
    return kind === 'name' || text === '%' || (text === '(' && this.next(ahead + 1).kind === 'name')
  }

  /** Whether the number before may count inches; the power of a unit cannot. */
  #followsNumber(): boolean {
    if (this.next(-1).kind !== 'number') return false
    const sign = this.next(-2).text === '-' ? 1 : 0
    const base = this.next(-3 - sign)
    const isPower = this.next(-2 - sign).text === '^' && (base.kind === 'name' || base.text === ')')
    return !(isPower && this.#hasQuantity())
  }

  #hasQuantity(): boolean {
    for (let at = this.#at - 1; at >= 0; at--) {
      const token = this.#tokens[at]
      if (!token || BOUNDARIES.has(token.text)) return false
      const isCall = this.#tokens[at + 1]?.text === '('
      if (token.kind === 'name' && !isCall && findUnit(token.text.replace(/[23]$/, ''))) return true
    }
    return false
  }
}

function isForce({ dimension }: Unit): boolean {
  return isSameDimension(dimension, { kg: 1, m: 1, s: -2 })
}

export function missingOperator(column: number): CalcError {
  return new CalcError('syntax', 'missing operator before this number (in a URL, write + as %2B)', column)
}
