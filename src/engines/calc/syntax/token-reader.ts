import { CalcFault } from '../calc-fault.ts'
import type { Token } from './token.ts'

/** Parentheses, signs, powers and arguments within one another. */
const MAX_NESTING = 100

/** Goes through tokens one by one, and says what could come next. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  /** The last token must be the end, which is given for every place behind it. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  next(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]
    if (!token) throw new RangeError('there is no token here')
    return token
  }

  skip(): void {
    this.#at++
  }

  /** Goes past this symbol if it comes next. */
  take<Text extends string>(text: Text): Text | null {
    const { kind, text: found } = this.next()
    if (kind !== 'symbol' || found !== text) return null
    this.skip()
    return text
  }

  /** @throws CalcFault when another symbol comes next. */
  expect(text: string, otherwise: string): void {
    const { text: found, column } = this.next()
    if (!this.take(text)) throw new CalcFault('syntax', `${otherwise} before ${found}`, column)
  }

  takeConversionIn(): boolean {
    const isNext = this.#isConversionIn()
    if (isNext) this.skip()
    return isNext
  }

  /** Whether a name or parenthesis comes next, which makes a product without a sign. */
  startsFactor(): boolean {
    const { kind, text } = this.next()
    return (kind === 'name' && !this.#isConversionIn()) || (kind === 'symbol' && text === '(')
  }

  /** Whether a `%` comes next that has an operand after it, and is no percent sign: `10% 3` lacks an operator. */
  isModulo(): boolean {
    const [sign, operand] = [this.next(), this.next(1)]
    const hasOperand = operand.kind === 'number' || operand.kind === 'name' || operand.text === '('
    return sign.text === '%' && hasOperand && (sign.isAfterSpace || !operand.isAfterSpace)
  }

  /** Reads something that stands within something else. @throws CalcFault when that goes too deep. */
  nested<Read>(read: () => Read): Read {
    if (++this.#depth > MAX_NESTING)
      throw new CalcFault('syntax', `more than ${MAX_NESTING} levels are nested`, this.next().column)
    const result = read()
    this.#depth--
    return result
  }

  /** The fault of meeting what comes next here. */
  unexpected(): CalcFault {
    const { kind, text, column } = this.next()
    if (kind === 'number') return missingOperator(column)
    if (kind === 'end')
      return new CalcFault('syntax', 'the expression ends where a value is expected', column)
    const hint = text === ',' ? ': commas stand only between arguments, so write 1000 and 1.5' : ''
    return new CalcFault('syntax', `${text} is not expected here${hint}`, column)
  }

  /** `in` is the inch after a number, and the word of a conversion after anything else, before a name. */
  #isConversionIn(): boolean {
    const { kind, text } = this.next()
    if (kind !== 'name' || text !== 'in') return false
    return this.next(-1).kind !== 'number' && this.next(1).kind === 'name'
  }
}

export function missingOperator(column: number): CalcFault {
  return new CalcFault(
    'syntax',
    'an operator is missing before this number; a + in a URL is written %2B',
    column,
  )
}
