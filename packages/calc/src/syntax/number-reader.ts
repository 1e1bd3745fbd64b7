import { CalcError } from '../calc-error.ts'
import type { Token } from './token-type.ts'

/** Fractions of one character, alone or after a whole number: `½`, `1½`. */
const VULGAR = /(\d*) ?([¼-¾⅐-⅞])/y
/** Hexadecimal, binary and octal whole numbers, then decimals, whose exponent needs digits: `2e` is 2 times e. */
const NUMBER = /0x[0-9a-f]+|0b[01]+|0o[0-7]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy
/** `1,234.56`, and `12,34,567` of India. */
const COMMAS =
  /[1-9]\d{0,2}(?:,\d{3})+(?![\d,]\d?)(?:\.\d+)?|[1-9]\d?(?:,\d{2})+,\d{3}(?![\d,]\d?)(?:\.\d+)?/y
/** `1 000 000` with the spaces of typesetters, and `1'000'000` of Switzerland. */
const SET = /[1-9]\d{0,2}(?:([\u00a0\u2009\u202f'’])\d{3})(?:\1\d{3})*(?![\d"″”])(?:\.\d+)?/y
const SPACES = /[1-9]\d{0,2}(?: \d{3})+(?![\d/.])/y

type Found = Pick<Token, 'kind' | 'text'> & { readonly length: number }
type Parenthesis = {
  readonly maxArguments: number
  hasSpacedComma: boolean
  /** The column of a comma that may also group digits, as in `1,234`. */
  groupingColumn: number | null
}

/** Reads numbers. What a comma means depends on the parenthesis: `max(1,234)` has two arguments. */
export class NumberReader {
  readonly #text: string
  readonly #open: Parenthesis[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** The number at this place, or null. @throws CalcError if it has two readings. */
  read(at: number, before: Token | undefined): Found | null {
    const vulgar = this.#match(VULGAR, at)
    if (vulgar) return toNumber(fractionText(vulgar[1] ?? '', vulgar[2] ?? ''), vulgar[0])
    const grouped = this.#readGrouped(at, before)
    if (grouped) return grouped
    const number = this.#match(NUMBER, at)?.[0]
    if (number === undefined) return null
    const text = number
      .replaceAll('_', '')
      .replace(/^\./, '0.')
      .replace(/\.(?=$|e)/i, '')
    return toNumber(text, number)
  }

  /** Keeps track of parentheses and commas. @throws CalcError if commas both group and separate. */
  noteSymbol(symbol: string, at: number, maxArguments: number): void {
    if (symbol === '(') this.#open.push({ maxArguments, hasSpacedComma: false, groupingColumn: null })
    const parenthesis = this.#open.at(-1)
    if (symbol === ',' && parenthesis) {
      const around = this.#text.slice(Math.max(0, at - 4), at + 5)
      if (/^\s/.test(this.#text.slice(at + 1))) parenthesis.hasSpacedComma = true
      else if (/(?:^|\D)\d{1,3},\d{3}(?!\d)/.test(around)) parenthesis.groupingColumn ??= at + 1
    }
    if (symbol === ')') checkCommas(this.#open.pop())
  }

  #readGrouped(at: number, before: Token | undefined): Found | null {
    const set = this.#match(SET, at)?.[0]
    if (set) return toNumber(set.replaceAll(/[\u00a0\u2009\u202f'’]/g, ''), set)
    const parenthesis = this.#open.at(-1)
    const commas = (parenthesis?.maxArguments ?? 1) === 1 ? this.#match(COMMAS, at)?.[0] : undefined
    if (commas) return toNumber(commas.replaceAll(',', ''), commas)
    const spaces = before?.kind === 'number' ? undefined : this.#match(SPACES, at)?.[0]
    if (!spaces) return null
    // In a URL, a + that is not escaped arrives as a space; nobody adds 000.
    if (/ 000/.test(spaces)) return toNumber(spaces.replaceAll(' ', ''), spaces)
    const [sum, whole] = [spaces.replaceAll(' ', ' + '), spaces.replaceAll(' ', '')]
    throw new CalcError('syntax', `${spaces} may be ${whole} or ${sum} (in a URL, write + as %2B)`, at + 1)
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at
    return pattern.exec(this.#text)
  }
}

function toNumber(text: string, written: string): Found {
  return { kind: 'number', text, length: written.length }
}

/** `1½` is `1+1/2`. */
function fractionText(whole: string, sign: string): string {
  const fraction = sign.normalize('NFKC').replace('⁄', '/')
  return whole === '' ? fraction : `${whole}+${fraction}`
}

function checkCommas(parenthesis: Parenthesis | undefined): void {
  const column = parenthesis?.groupingColumn ?? null
  if (column === null || !parenthesis?.hasSpacedComma) return
  throw new CalcError(
    'syntax',
    'this comma may separate arguments or group digits (write 1234, and a space after every separating comma)',
    column,
  )
}
