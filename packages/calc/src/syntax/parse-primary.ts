import { CalcError } from '../calc-error.ts'
import { findUnit } from '../unit/find-unit.ts'
import { binary, isPercentage, joinFactors, numberNode, readNumberText } from './build-node.ts'
import { ambiguousFunction, describeUnknown, refuseHeight } from './describe-issue.ts'
import type { Node } from './node.ts'
import type { TokenReader } from './token-reader.ts'
import { FUNCTIONS, type FunctionName, findConstant, findFunction } from './vocabulary.ts'

/** After the argument of a function without parentheses, these could belong to either. */
const BINDS_TIGHTLY = new Set(['*', 'x', '/', '//', 'mod', '^', '!', '!!', '%', '(', '√'])
const TAKES_ANGLE = new Set(['sin', 'cos', 'tan'])

/** Parses what binds most tightly: numbers, names, calls, roots, parentheses, and operators after them. */
export class PrimaryParser {
  readonly #reader: TokenReader
  readonly #parseInside: () => Node

  /** @param parseInside parses the inside of parentheses */
  constructor(reader: TokenReader, parseInside: () => Node) {
    this.#reader = reader
    this.#parseInside = parseInside
  }

  /** A number, name, call or parenthesis with the operators that follow it: `5!`, `x²`, `10 choose 3`, `20%`. */
  parsePostfix(): Node {
    let node = this.parsePrimary()
    for (;;) {
      const { column } = this.#reader.next()
      const power = this.#reader.takeSuperscript()
      const operator =
        this.#reader.take('!') ??
        this.#reader.take('!!') ??
        (this.#reader.isModulo() ? null : this.#reader.take('%'))
      const choice = this.#reader.take('choose') ?? this.#reader.take('permute')
      if (power !== null) node = binary('^', node, exponentOf(power, column), column)
      else if (operator) node = { kind: 'postfix', operator, operand: node, column }
      else if (choice) {
        const name = choice === 'choose' ? 'nCr' : 'nPr'
        node = { kind: 'call', name, args: [node, this.parsePrimary()], column }
      } else {
        this.#skipPurpose(node)
        return node
      }
    }
  }

  /** `20% tip` is 20%; whether `20% tip on 45` includes the 45 is unknown. */
  #skipPurpose(share: Node): void {
    if (!isPercentage(share)) return
    const { column } = this.#reader.next()
    const isPurpose = this.#reader.take('tip')
    const { text } = this.#reader.next()
    if (isPurpose && (text === 'of' || text === 'on'))
      throw new CalcError(
        'syntax',
        'this may be the share alone or the sum with it: write 20% of 45 or 45 + 20%',
        column,
      )
  }

  /** A number, name, call, root or parenthesis. */
  parsePrimary(): Node {
    const { kind, text, column } = this.#reader.next()
    if (kind === 'number') {
      this.#reader.skip()
      return readNumberText(text, column)
    }
    if (kind === 'name') return this.#parseName()
    const root = this.#reader.take('√') ?? this.#reader.take('∛')
    if (root) {
      const operand = this.#reader.nested(() => this.parsePrimary())
      return { kind: 'call', name: root === '√' ? 'sqrt' : 'cbrt', args: [operand], column }
    }
    if (text === 'mod' && this.#reader.next(1).text === '(') {
      this.#reader.skip()
      return this.#parseCall('mod', column)
    }
    if (this.#reader.take('|')) {
      const args = [this.#reader.nested(this.#parseInside)]
      this.#reader.expect('|', 'missing |')
      return { kind: 'call', name: 'abs', args, column }
    }
    if (!this.#reader.take('(')) throw this.#reader.unexpected()
    const inside = this.#reader.nested(() => this.#parseInside())
    this.#reader.expect(')', 'missing closing parenthesis')
    return inside
  }

  #parseName(): Node {
    const { text: name, column, isAfterSpace } = this.#reader.next()
    const isAfterNumber = this.#reader.next(-1).kind === 'number' && !isAfterSpace
    this.#reader.skip()
    const known = findFunction(name)
    if (known && this.#reader.next().text === '(') return this.#parseCall(known.name, column)
    const power = name === 'square' || name === 'sq' ? '2' : name === 'cubic' || name === 'cu' ? '3' : null
    if (power && this.#reader.next().kind === 'name')
      return binary('^', this.#parseName(), numberNode(power, column), column)
    if (findConstant(name) || findUnit(name)) return { kind: 'name', name, column }
    const [, base = '', exponent = ''] = /^(.*\D)([23])$/.exec(name) ?? []
    if (findUnit(base)) {
      if (isAfterNumber) refuseHeight(base, exponent, column)
      return binary('^', { kind: 'name', name: base, column }, numberNode(exponent, column), column)
    }
    if (known && (FUNCTIONS[known.name][1] as number) <= 2) return this.#parseBareCall(known.name, column)
    throw new CalcError('syntax', describeUnknown(name), column)
  }

  #parseCall(name: FunctionName, column: number): Node {
    const args: Node[] = []
    this.#reader.expect('(', 'missing parenthesis')
    if (!this.#reader.take(')')) {
      do args.push(this.#reader.nested(() => this.#parseInside()))
      while (this.#reader.take(','))
      this.#reader.expect(')', `missing closing parenthesis of ${name}`)
    }
    const [min, max] = FUNCTIONS[name]
    if (args.length >= min && args.length <= max) return { kind: 'call', name, args, column }
    const count = min === max ? `${min}` : `${min} to ${max}`
    throw new CalcError('syntax', `${name} takes ${count} arguments, not ${args.length}`, column)
  }

  /** A function of one number without parentheses: `sqrt 16`, `sin 30 deg`, `ln 2pi`. */
  #parseBareCall(name: FunctionName, column: number): Node {
    if (name === 'log' && this.#reader.next().text === 'base') return this.#parseLogarithmToBase(column)
    this.#reader.take('of')
    const { kind, text } = this.#reader.next()
    const sign = this.#reader.take('-')
    const isStart = kind === 'number' || sign !== null || findConstant(text) !== null || text === '√'
    if (!isStart || FUNCTIONS[name][0] > 1) throw new CalcError('syntax', describeUnknown(name), column)
    let argument = this.parsePrimary()
    while (this.#reader.startsFactor() && (TAKES_ANGLE.has(name) || !this.#reader.next().isAfterSpace)) {
      const factor = this.parsePrimary()
      if (factor.kind !== 'name') throw ambiguousFunction(name, argument, '(', column)
      argument = joinFactors(argument, factor, factor.column)
    }
    const { text: after } = this.#reader.next()
    if (BINDS_TIGHTLY.has(after) || /^[⁰-⁹²³]/.test(after) || this.#reader.startsFactor())
      throw ambiguousFunction(name, argument, after, column)
    const signed: Node = sign ? { kind: 'negate', operand: argument, column } : argument
    return { kind: 'call', name, args: [signed], column }
  }

  /** `log base 2 of 8` */
  #parseLogarithmToBase(column: number): Node {
    this.#reader.skip()
    const base = this.parsePrimary()
    this.#reader.expect('of', 'missing of')
    return { kind: 'call', name: 'log', args: [this.parsePrimary(), base], column }
  }
}

function exponentOf(power: string, column: number): Node {
  const number = numberNode(power.replace('-', ''), column)
  return power.startsWith('-') ? { kind: 'negate', operand: number, column } : number
}
