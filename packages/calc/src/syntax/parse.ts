import { CalcError } from '../calc-error.ts'
import {
  addNodes,
  binary,
  isLength,
  isPercentage,
  isPlainNumber,
  isUnit,
  joinFactors,
  joinMeasures,
} from './build-node.ts'
import { ambiguousDivision, ambiguousSides } from './describe-issue.ts'
import type { Comparison, Node } from './node.ts'
import { PrimaryParser } from './parse-primary.ts'
import { readTokens } from './token.ts'
import { missingOperator, TokenReader } from './token-reader.ts'

const COMPARISONS = new Set(['<', '<=', '>', '>=', '=', '!='])

/**
 * Parses an expression. Precedence from lowest to highest: comparison, conversion (`to`, `in`), sums,
 * products, unary signs, implicit products (`2 pi`, `5 km`), powers (right-associative), `!` and `%`.
 * @throws CalcError of kind `syntax` with the column of the error.
 */
export function parseExpression(expression: string): Node {
  return new Parser(new TokenReader(readTokens(expression))).parseAll()
}

class Parser {
  readonly #reader: TokenReader
  readonly #primary: PrimaryParser

  constructor(reader: TokenReader) {
    this.#reader = reader
    this.#primary = new PrimaryParser(reader, () => this.#parseConversion())
  }

  parseAll(): Node {
    if (this.#reader.next().kind === 'end') throw new CalcError('syntax', 'the expression is empty', 1)
    const left = this.#parseConversion()
    const { kind, text, column, isAfterSpace } = this.#reader.next()
    if (kind === 'end') return left
    const format = this.#reader.takeFormat()
    if (format !== null && this.#reader.next().kind === 'end')
      return { kind: 'show', format, operand: left, column }
    if (!COMPARISONS.has(text)) throw this.#reader.unexpected()
    if (text === '!=' && !isAfterSpace)
      throw new CalcError('syntax', 'write a space before != or, for a factorial, after the !', column)
    this.#reader.skip()
    const right = this.#parseConversion()
    if (this.#reader.next().kind !== 'end') throw this.#reader.unexpected()
    return { kind: 'compare', operator: text as Comparison, left, right, column }
  }

  #parseConversion(): Node {
    let node = this.#parseSum()
    for (;;) {
      const { column } = this.#reader.next()
      if (!this.#reader.takeConversion()) return node
      const percent: Node = { kind: 'name', name: 'percent', column: this.#reader.next().column }
      node = {
        kind: 'convert',
        from: node,
        to: this.#reader.take('%') ? percent : this.#parseProduct(),
        column,
      }
    }
  }

  #parseSum(): Node {
    let left = this.#parseProduct()
    for (;;) {
      const { column } = this.#reader.next()
      const operator = this.#reader.take('+') ?? this.#reader.take('-')
      if (!operator) return left
      left = addNodes(operator, left, this.#parseProduct(), column)
    }
  }

  #parseProduct(): Node {
    let left = this.#parseSigned()
    for (;;) {
      const { column } = this.#reader.next()
      const operator =
        this.#reader.take('*') ??
        this.#reader.take('//') ??
        this.#reader.take('mod') ??
        this.#reader.take('%')
      if (operator) {
        const name = operator === '%' ? 'mod' : operator
        left = binary(name, left, this.#parseSigned(), column)
      } else if (this.#reader.take('x')) left = this.#parseTimes(left, column)
      else if (this.#reader.take('/')) left = this.#parseDivision(left, column)
      else if (this.#reader.take('of')) left = this.#parseOf(left, column)
      else if (this.#reader.take('off')) left = this.#parseOff(left, column)
      else return left
    }
  }

  /** `5 x 3`; `12x16 in` may be an area. */
  #parseTimes(left: Node, column: number): Node {
    const right = this.#parseSigned()
    if (isPlainNumber(left) && isLength(right)) throw ambiguousSides(left, right, column)
    return binary('*', left, right, column)
  }

  /** `15% of 80` and `1/2 of 80`; `5 of 10` may be a share, too. */
  #parseOf(share: Node, column: number): Node {
    if (share.kind === 'number' && /^\d+$/.test(share.text))
      throw new CalcError(
        'syntax',
        `write ${share.text} * … or ${share.text} / … instead of ${share.text} of …`,
        column,
      )
    return binary('*', share, this.#parseSigned(), column)
  }

  /** `15% off 80` is 80 - 15%. */
  #parseOff(share: Node, column: number): Node {
    this.#reader.take('of')
    if (!isPercentage(share))
      throw new CalcError('syntax', 'off needs a percentage before it, as in 15% off 80', column)
    return binary('-', this.#parseSigned(), share, column)
  }

  /** A sign binds less tightly than a power, so -2^2 is -4. */
  #parseSigned(): Node {
    const { column } = this.#reader.next()
    if (this.#reader.take('+')) return this.#reader.nested(() => this.#parseSigned())
    if (this.#reader.take('-'))
      return { kind: 'negate', operand: this.#reader.nested(() => this.#parseSigned()), column }
    return this.#parseImplicit()
  }

  /** Adjacent factors: `2 pi`, `3(4 + 5)`, `5 km`, and `5 ft 6 in`, which is a sum. */
  #parseImplicit(): Node {
    let node = this.#parsePower()
    let isMeasured = false
    for (;;) {
      const { kind, column } = this.#reader.next()
      if (kind === 'number' && (isMeasured || node.kind === 'measure')) {
        isMeasured = true
        node = joinMeasures(node, this.#parseMeasure(), column)
      } else if (this.#reader.startsFactor()) node = joinFactors(node, this.#parseFactor(), column)
      else return node
    }
  }

  /**
   * The next adjacent factor. After a space only units are allowed: a `+` in a URL arrives as a space, and
   * `2+pi` must not be evaluated as 2 pi.
   */
  #parseFactor(): Node {
    const { isAfterSpace, text, column } = this.#reader.next()
    const factor = this.#parsePower()
    if (!isAfterSpace || isUnit(factor)) return factor
    throw new CalcError('syntax', `missing operator before ${text} (write *, or + as %2B in a URL)`, column)
  }

  /** A number or fraction and its unit, after another measure. */
  #parseMeasure(): Node {
    const { column } = this.#reader.next()
    const number = this.#parsePower()
    const slash = this.#reader.next()
    const isFraction = number.kind === 'number' && slash.text === '/' && !slash.isAfterSpace
    if (isFraction) this.#reader.skip()
    const amount = isFraction ? binary('/', number, this.#primary.parsePrimary(), slash.column) : number
    const unit = this.#reader.startsFactor() ? this.#parsePower() : null
    if (!unit || !isUnit(unit)) throw missingOperator(column)
    return { kind: 'measure', amount, unit, column }
  }

  /**
   * The divisor of `/`. `1/2 km` is half a kilometre and `J/kg K` is per kilogram and kelvin; `1/2pi` and
   * `60 km / 30 km/h` are ambiguous and therefore errors.
   */
  #parseDivision(dividend: Node, column: number): Node {
    const isSpaced = this.#reader.next(-1).isAfterSpace && this.#reader.next().isAfterSpace
    const first = this.#parsePowerOfSigned()
    const rest: Node[] = []
    while (this.#reader.startsFactor()) rest.push(this.#parseFactor())
    if (rest.length === 0) return binary('/', dividend, first, column)
    const join = (start: Node) => rest.reduce((left, right) => joinFactors(left, right, right.column), start)
    const quotient = binary('/', dividend, first, column)
    const isCounted = first.kind === 'number'
    if (!rest.every(isUnit) || !(isUnit(first) || isCounted))
      throw ambiguousDivision(join(quotient), binary('/', dividend, join(first), column))
    const isFraction = isCounted && isPlainNumber(dividend)
    const divisor = this.#reader.next().text === '/' && isCounted ? this.#reader.next(1) : null
    if (divisor?.kind === 'name' && (!isFraction || isSpaced)) {
      const unit: Node = { kind: 'name', name: divisor.text, column: divisor.column }
      const whole = isFraction ? join(quotient) : binary('/', dividend, join(first), column)
      const speed = binary('/', join(first), unit, column)
      throw ambiguousDivision(binary('/', whole, unit, column), binary('/', dividend, speed, column))
    }
    if (isFraction && isSpaced && !this.#reader.hasConversionAhead())
      throw ambiguousDivision(join(quotient), binary('/', dividend, join(first), column))
    return isFraction ? join(quotient) : binary('/', dividend, join(first), column)
  }

  /** An exponent or divisor, which may have a sign. */
  #parsePowerOfSigned(): Node {
    const { column } = this.#reader.next()
    if (this.#reader.take('+')) return this.#reader.nested(() => this.#parsePowerOfSigned())
    if (this.#reader.take('-'))
      return { kind: 'negate', operand: this.#reader.nested(() => this.#parsePowerOfSigned()), column }
    return this.#parsePower()
  }

  #parsePower(): Node {
    const left = this.#primary.parsePostfix()
    const { column } = this.#reader.next()
    if (!this.#reader.take('^')) return left
    const right = this.#reader.nested(() => this.#parsePowerOfSigned())
    return binary('^', left, right, column)
  }
}
