import { CalcError } from '../calc-error.ts'
import type { Token } from './token.ts'

/** Limit on nested parentheses, signs, powers and arguments. */
const MAX_NESTING = 100

export class TokenReader {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  /** The last token must be the end token, which is returned for every position after it. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  next(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]
    if (!token) throw new RangeError('unreachable: the last token is the end')
    return token
  }

  skip(): void {
    this.#at++
  }

  /** Consumes this symbol if it is next. */
  take<Text extends string>(text: Text): Text | null {
    const { kind, text: found } = this.next()
    if (kind !== 'symbol' || found !== text) return null
    this.skip()
    return text
  }

  /** @throws CalcError if another symbol is next. */
  expect(text: string, otherwise: string): void {
    const { text: found, column } = this.next()
    if (!this.take(text)) throw new CalcError('syntax', `${otherwise} before ${found}`, column)
  }

  takeConversionIn(): boolean {
    const isNext = this.#isConversionIn()
    if (isNext) this.skip()
    return isNext
  }

  /** Whether a name or parenthesis is next, which makes an implicit product. */
  startsFactor(): boolean {
    const { kind, text } = this.next()
    return (kind === 'name' && !this.#isConversionIn()) || (kind === 'symbol' && text === '(')
  }

  /**
   * Whether the next token is a `%` followed by an operand and means modulo, not percent: `10% 3` lacks an
   * operator.
   */
  isModulo(): boolean {
    const [sign, operand] = [this.next(), this.next(1)]
    const hasOperand = operand.kind === 'number' || operand.kind === 'name' || operand.text === '('
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
    const hint = text === ',' ? ' (commas separate arguments only; write 1000 and 1.5)' : ''
    return new CalcError('syntax', `unexpected ${text}${hint}`, column)
  }

  /** `in` is the inch after a number; after anything else and before a name it is the conversion operator. */
  #isConversionIn(): boolean {
    const { kind, text } = this.next()
    if (kind !== 'name' || text !== 'in') return false
    return this.next(-1).kind !== 'number' && this.next(1).kind === 'name'
  }
}

export function missingOperator(column: number): CalcError {
  return new CalcError('syntax', 'missing operator before this number (in a URL, write + as %2B)', column)
}
