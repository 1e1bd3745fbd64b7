import { findUnit } from '../unit/find-unit.ts'
import { missingOperator } from './token-reader.ts'
import { type Token, tokenOf } from './token-type.ts'
import {
  CURRENCY_SIGNS,
  findConstant,
  findFunction,
  OPERATOR_PHRASES,
  SCALES,
  SCALES_OF_MONEY,
} from './vocabulary.ts'

const FEET = /^['′’]$/
const INCHES = /^(?:''|["″”])$/
const FOOT = /^(?:ft|foot|feet)$/
const POUND = /^(?:lb|lbs|lbf|pound|pounds)$/

/** Turns what people write into operators, numbers and units: `plus`, `5 x 3`, `$5`, `1.5k`, `5'6"`. */
export function rewriteWords(tokens: readonly Token[]): readonly Token[] {
  const rewriter = new Rewriter(tokens)
  return rewriter.rewriteAll()
}

class Rewriter {
  readonly #tokens: readonly Token[]
  readonly #done: Token[] = []
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  rewriteAll(): readonly Token[] {
    while (this.#at < this.#tokens.length) {
      const token = this.#next()
      if (token.kind === 'number') this.#rewriteNumber(token, SCALES)
      else if (token.kind === 'symbol') this.#rewriteSymbol(token)
      else if (token.kind === 'name') this.#rewriteName(token)
      else this.#push(token)
    }
    return this.#done
  }

  /** A number takes the words of its size: `2 hundred thousand`. */
  #rewriteNumber(token: Token, scales: ReadonlyMap<string, number>): void {
    const before = this.#done.at(-1)
    const mixed = this.#mixedNumber(token)
    this.#push(mixed ?? token)
    if (mixed) this.#at += 3
    for (;;) {
      const scale = this.#next().kind === 'name' ? findScale(this.#next().text, scales) : undefined
      if (scale === undefined || /^0[xob]/i.test(token.text)) break
      const number = this.#done.pop() ?? token
      this.#push({ ...number, text: scaled(number.text, scale) })
    }
    // `5'6` and `1h30` lack the second unit.
    const [unit, after] = [before?.kind === 'name' ? before.text : '', this.#next()]
    const target = this.#next(1)
    const isConversion = after.text === 'in' && target.kind === 'name' && target.text !== 'in'
    const isLast =
      isConversion || (after.kind !== 'name' && after.kind !== 'number' && !/^['"′″’”/^]/.test(after.text))
    if (token.isAfterSpace || !isLast) return
    if (FOOT.test(unit)) this.#done.push({ ...token, kind: 'name', text: 'inch', isAfterSpace: false })
    if (/^hr?$/.test(unit) && /^\d\d$/.test(token.text))
      this.#done.push({ ...token, kind: 'name', text: 'min', isAfterSpace: false })
  }

  /** `1 1/2`, or null. @throws CalcError if it may be `2*1+1/2` of a URL whose + arrived as a space. */
  #mixedNumber(token: Token): Token | null {
    const [numerator, slash, denominator, after] = [
      this.#next(1),
      this.#next(2),
      this.#next(3),
      this.#next(4),
    ]
    const isMixed =
      [token, numerator, denominator].every(({ text }) => /^\d+$/.test(text)) &&
      numerator.isAfterSpace &&
      slash.text === '/' &&
      !slash.isAfterSpace &&
      !denominator.isAfterSpace &&
      Number(numerator.text) < Number(denominator.text)
    if (!isMixed) return null
    const before = this.#done.at(-1)
    const isTightBefore = before?.kind === 'symbol' && before.text !== '(' && !token.isAfterSpace
    if (isTightBefore || (/^[*/^]$/.test(after.text) && !after.isAfterSpace))
      throw missingOperator(numerator.column)
    return { ...token, text: `${token.text}+${numerator.text}/${denominator.text}` }
  }

  #rewriteSymbol(token: Token): void {
    if (this.#takePhrase()) return
    const before = this.#done.at(-1)
    const currency = CURRENCY_SIGNS.get(token.text)
    if (currency) this.#rewriteCurrency({ ...token, kind: 'name', text: currency })
    else if (before?.kind === 'number' && FEET.test(token.text))
      this.#push({ ...token, kind: 'name', text: this.#isAngle() ? 'arcmin' : 'foot' })
    else if (before?.kind === 'number' && INCHES.test(token.text))
      this.#push({ ...token, kind: 'name', text: this.#isAngle() ? 'arcsec' : 'inch' })
    else this.#push(token)
  }

  /** Whether the number at hand follows degrees or minutes of arc: `30°15'20"`. */
  #isAngle(): boolean {
    const unit = this.#done.at(-2)
    return unit?.kind === 'name' && /^(?:°|deg|degrees?|arcmin)$/.test(unit.text)
  }

  /** The sign before a number goes behind it: `$5`, and `$-5`. */
  #rewriteCurrency(unit: Token): void {
    const isPrefix = this.#done.at(-1)?.kind !== 'number'
    const sign = isPrefix && this.#next(1).text === '-' && this.#next(2).kind === 'number' ? 1 : 0
    if (!isPrefix || this.#next(1 + sign).kind !== 'number') {
      this.#push(unit)
      return
    }
    this.#at++
    if (sign > 0) this.#push(this.#next())
    this.#rewriteNumber({ ...this.#next(), isAfterSpace: unit.isAfterSpace }, SCALES_OF_MONEY)
    this.#done.push({ ...unit, isAfterSpace: false })
  }

  #rewriteName(token: Token): void {
    const word = token.text.toLowerCase()
    const before = this.#done.at(-1)
    if (this.#takePhrase()) return
    if (token.text === 'f' && (before?.kind === 'number' || before?.text === 'to' || before?.text === 'in'))
      this.#push({ ...token, text: 'F' })
    else if (word === 'x' && isOperand(before) && this.#startsOperand(1))
      this.#push({ ...token, kind: 'symbol', text: 'x' })
    else if ((word === 'ncr' || word === 'npr') && isOperand(before) && this.#next(1).kind === 'number')
      this.#push({ ...token, kind: 'symbol', text: word === 'ncr' ? 'choose' : 'permute' })
    else if (word === 'into' || (word === 'as' && this.#startsTarget())) this.#rewriteTarget(token)
    else if (word === 'and' && before?.kind === 'name' && this.#next(1).kind === 'number') this.#at++
    else if (this.#isFootPound(token)) {
      this.#push({ ...token, text: 'ft_lb' })
      this.#at += 2
    } else this.#push(token)
  }

  /** Consumes `divided by` or the like. */
  #takePhrase(): boolean {
    const phrase = OPERATOR_PHRASES.find(({ words }) => words.every((each, at) => this.#word(at) === each))
    if (!phrase || (!phrase.isPrefix && !isOperand(this.#done.at(-1)))) return false
    this.#done.push({ ...this.#next(), kind: phrase.kind, text: phrase.text })
    this.#at += phrase.words.length
    // What `half of` is a part of follows.
    if (phrase.kind === 'number') this.#at--
    return true
  }

  /** `as a percentage` */
  #rewriteTarget(token: Token): void {
    this.#push({ ...token, kind: 'symbol', text: 'to' })
    if (/^an?$/i.test(this.#next().text) && this.#next(1).kind === 'name') this.#at++
  }

  #isFootPound({ text }: Token): boolean {
    const [hyphen, unit] = [this.#next(1), this.#next(2)]
    if (hyphen.text !== '-' || hyphen.isAfterSpace || unit.isAfterSpace) return false
    return (FOOT.test(text) && POUND.test(unit.text)) || (POUND.test(text) && FOOT.test(unit.text))
  }

  /** `as` is also the attosecond. */
  #startsTarget(): boolean {
    const { kind, text } = this.#next(1)
    if (text === 'in') return this.#next(2).kind !== 'name' && this.#next(2).text !== '('
    return text === '%' || kind === 'name'
  }

  #startsOperand(ahead: number): boolean {
    const { kind, text } = this.#next(ahead)
    if (kind === 'name') return findConstant(text) !== null || findFunction(text) !== null
    return kind === 'number' || text === '(' || text === '√' || CURRENCY_SIGNS.has(text)
  }

  #word(ahead: number): string {
    const { kind, text } = this.#next(ahead)
    return kind === 'name' || text === 'to' || text === 'of' ? text.toLowerCase() : ''
  }

  #next(ahead = 0): Token {
    return tokenOf(this.#tokens, Math.min(this.#at + ahead, this.#tokens.length - 1))
  }

  /** Adds a token in place of the next one. */
  #push(token: Token): void {
    this.#done.push(token)
    this.#at++
  }
}

function isOperand(token: Token | undefined): boolean {
  if (token?.kind === 'name') return findUnit(token.text) !== null || findConstant(token.text) !== null
  return token?.kind === 'number' || /^(?:\)|%|!|[⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/.test(token?.text ?? '')
}

function findScale(word: string, scales: ReadonlyMap<string, number>): number | undefined {
  return scales.get(word) ?? (word.length > 2 ? scales.get(word.toLowerCase()) : undefined)
}

/** A number times a power of ten, without an exponent if it had none: `1.5` and 3 are `1500`. */
function scaled(text: string, power: number): string {
  const mixed = /^(?:(\d+)\+)?(\d+)\/(\d+)$/.exec(text)
  const zeros = '0'.repeat(power)
  if (mixed) return `${mixed[1] ? `${mixed[1]}${zeros}+` : ''}${mixed[2]}${zeros}/${mixed[3]}`
  const [, whole = '', decimals = '', exponent] = /^(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  if (exponent !== undefined) return `${whole}.${decimals}e${Number(exponent) + power}`.replace('.e', 'e')
  const moved = decimals.padEnd(power, '0')
  const rest = moved.slice(power).replace(/0+$/, '')
  return `${(whole + moved.slice(0, power)).replace(/^0+(?=\d)/, '')}${rest && `.${rest}`}`
}
