import { CalcError } from '../calc-error.ts'
import { findSimilarUnits, findUnit } from '../unit/find-unit.ts'
import type { Comparison, Node } from './node.ts'
import { readTokens } from './token.ts'
import { missingOperator, TokenReader } from './token-reader.ts'
import { FUNCTIONS, type FunctionName, findConstant, isFunctionName } from './vocabulary.ts'

const COMPARISONS = new Set(['<', '<=', '>', '>=', '=', '!='])

/**
 * Parses an expression. Precedence from lowest to highest: comparison, conversion (`to`), sums, products,
 * unary signs, implicit products (`2 pi`, `5 km`), powers (right-associative), `!` and `%`.
 * @throws CalcError of kind `syntax` with the column of the error.
 */
export function parseExpression(expression: string): Node {
  return new Parser(new TokenReader(readTokens(expression))).parseAll()
}

class Parser {
  readonly #reader: TokenReader

  constructor(reader: TokenReader) {
    this.#reader = reader
  }

  parseAll(): Node {
    if (this.#reader.next().kind === 'end') throw new CalcError('syntax', 'the expression is empty', 1)
    const left = this.#parseConversion()
    const { kind, text, column, isAfterSpace } = this.#reader.next()
    if (kind === 'end') return left
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
      if (!this.#reader.take('to') && !this.#reader.takeConversionIn()) return node
      node = { kind: 'convert', from: node, to: this.#parseProduct(), column }
    }
  }

  #parseSum(): Node {
    let left = this.#parseProduct()
    for (;;) {
      const { column } = this.#reader.next()
      const operator = this.#reader.take('+') ?? this.#reader.take('-')
      if (!operator) return left
      left = { kind: 'binary', operator, left, right: this.#parseProduct(), column }
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
        left = { kind: 'binary', operator: name, left, right: this.#parseSigned(), column }
      } else if (this.#reader.take('/')) left = this.#parseDivision(left, column)
      else return left
    }
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
        node = { kind: 'binary', operator: '+', left: node, right: this.#parseMeasure(), column }
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

  /** A number and its unit, after another measure. */
  #parseMeasure(): Node {
    const { column } = this.#reader.next()
    const amount = this.#parsePower()
    const unit = this.#reader.startsFactor() ? this.#parsePower() : null
    if (!unit || !isUnit(unit)) throw missingOperator(column)
    return { kind: 'measure', amount, unit, column }
  }

  /**
   * The divisor of `/`. `1/2 km` is half a kilometre and `J/kg K` is per kilogram and kelvin; `1/2pi` is
   * ambiguous and therefore an error.
   */
  #parseDivision(dividend: Node, column: number): Node {
    const first = this.#parsePowerOfSigned()
    const rest: Node[] = []
    while (this.#reader.startsFactor()) rest.push(this.#parseFactor())
    const divide = (left: Node, right: Node): Node => ({ kind: 'binary', operator: '/', left, right, column })
    if (rest.length === 0) return divide(dividend, first)
    if (!rest.every(isUnit) || !(isUnit(first) || first.kind === 'number'))
      throw new CalcError(
        'syntax',
        'ambiguous division: put the divisor or the quotient in parentheses',
        column,
      )
    const isFraction = first.kind === 'number' && isPlainNumber(dividend)
    const start = isFraction ? divide(dividend, first) : first
    const product = rest.reduce((left, right) => joinFactors(left, right, right.column), start)
    return isFraction ? product : divide(dividend, product)
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
    const left = this.#parsePostfix()
    const { column } = this.#reader.next()
    if (!this.#reader.take('^')) return left
    const right = this.#reader.nested(() => this.#parsePowerOfSigned())
    return { kind: 'binary', operator: '^', left, right, column }
  }

  #parsePostfix(): Node {
    let node = this.#parsePrimary()
    for (;;) {
      const { column } = this.#reader.next()
      const power = this.#reader.take('²') ? '2' : this.#reader.take('³') ? '3' : null
      const operator =
        this.#reader.take('!') ??
        this.#reader.take('!!') ??
        (this.#reader.isModulo() ? null : this.#reader.take('%'))
      if (power)
        node = {
          kind: 'binary',
          operator: '^',
          left: node,
          right: { kind: 'number', text: power, column },
          column,
        }
      else if (operator) node = { kind: 'postfix', operator, operand: node, column }
      else return node
    }
  }

  #parsePrimary(): Node {
    const { kind, text, column } = this.#reader.next()
    if (kind === 'number') {
      this.#reader.skip()
      return { kind: 'number', text: text.replaceAll('_', ''), column }
    }
    if (kind === 'name') return this.#parseName()
    if (!this.#reader.take('(')) throw this.#reader.unexpected()
    const inside = this.#reader.nested(() => this.#parseConversion())
    this.#reader.expect(')', 'missing closing parenthesis')
    return inside
  }

  #parseName(): Node {
    const { text: name, column } = this.#reader.next()
    this.#reader.skip()
    if (isFunctionName(name) && this.#reader.next().text === '(') return this.#parseCall(name, column)
    const power = name === 'square' || name === 'sq' ? '2' : name === 'cubic' || name === 'cu' ? '3' : null
    if (power && this.#reader.next().kind === 'name') {
      const left = this.#parseName()
      return { kind: 'binary', operator: '^', left, right: { kind: 'number', text: power, column }, column }
    }
    if (findConstant(name) || findUnit(name)) return { kind: 'name', name, column }
    throw new CalcError('syntax', describeUnknown(name), column)
  }

  #parseCall(name: FunctionName, column: number): Node {
    const args: Node[] = []
    this.#reader.expect('(', 'missing parenthesis')
    if (!this.#reader.take(')')) {
      do args.push(this.#reader.nested(() => this.#parseConversion()))
      while (this.#reader.take(','))
      this.#reader.expect(')', `missing closing parenthesis of ${name}`)
    }
    const [min, max] = FUNCTIONS[name]
    if (args.length >= min && args.length <= max) return { kind: 'call', name, args, column }
    const count = min === max ? `${min}` : `${min} to ${max}`
    throw new CalcError('syntax', `${name} takes ${count} arguments, not ${args.length}`, column)
  }
}

/** A unit or a power or product of units. */
function isUnit(node: Node): boolean {
  if (node.kind === 'name') return findConstant(node.name) === null
  if (node.kind !== 'binary') return false
  if (node.operator === '^') return isUnit(node.left) && isPlainNumber(node.right)
  return node.operator === '*' && isUnit(node.left) && isUnit(node.right)
}

function isPlainNumber(node: Node): boolean {
  return node.kind === 'number' || (node.kind === 'negate' && isPlainNumber(node.operand))
}

/** The product of two adjacent factors; a number takes all units that follow it. */
function joinFactors(left: Node, right: Node, column: number): Node {
  const product = (one: Node, other: Node): Node => ({
    kind: 'binary',
    operator: '*',
    left: one,
    right: other,
    column,
  })
  if (!isUnit(right) || isUnit(left)) return product(left, right)
  if (left.kind === 'measure') return { ...left, unit: product(left.unit, right) }
  return { kind: 'measure', amount: left, unit: right, column: left.column }
}

function describeUnknown(name: string): string {
  if (isFunctionName(name)) return `${name} needs its arguments in parentheses`
  const similar = findSimilarUnits(name)
  const power = /^([a-z]+)([23])$/i.exec(name)
  if (power?.[1] && findUnit(power[1])) return `unknown unit ${name} (write ${power[1]}^${power[2]})`
  return `unknown function, constant or unit ${name}${similar.length > 0 ? ` (did you mean ${similar.join(' or ')}?)` : ''}`
}
