import { CalcError } from '../calc-error.ts'
import { findUnit } from '../unit/find-unit.ts'

export type Token = {
  readonly kind: 'number' | 'name' | 'symbol' | 'end'
  /** The symbols and words of operators, in their canonical spelling. */
  readonly text: string
  /** From 1. */
  readonly column: number
  readonly isAfterSpace: boolean
}

/** Max expression length, in UTF-16 units. */
export const MAX_EXPRESSION_LENGTH = 1000

const SPACE = /\s+/y
/** Hexadecimal, binary and octal whole numbers, then decimals, whose exponent needs digits: `2e` is 2 times e. */
const NUMBER = /0x[0-9a-f]+|0b[01]+|0o[0-7]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy
const NAME = /[\p{L}°℃℉][\p{L}\p{M}\d_]*/uy
const SYMBOL = /\*\*|\/\/|!!(?!=)|!=|<=|>=|==|->|[-+*/^!%(),<>=·×÷−⋅→≤≥≠²³]/uy

/** Alternative spellings of operators. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '**': '^',
    '·': '*',
    '⋅': '*',
    '×': '*',
    '÷': '/',
    '−': '-',
    '==': '=',
    '≤': '<=',
    '≥': '>=',
    '≠': '!=',
    '->': 'to',
    '→': 'to',
    per: '/',
    of: '*',
  }),
)
/** Words that are operators, not names. */
const OPERATOR_WORDS = new Set(['to', 'mod', 'per', 'of'])
/** The longest unit names have this many words: imperial fluid ounce. */
const MAX_WORDS = 3

/**
 * Splits an expression into tokens; the last one is the end token.
 * @throws CalcError at an invalid character, or if the text is too long.
 */
export function readTokens(expression: string): readonly Token[] {
  if (expression.length > MAX_EXPRESSION_LENGTH)
    throw new CalcError(
      'syntax',
      `the expression has ${expression.length} characters (limit ${MAX_EXPRESSION_LENGTH})`,
    )
  const tokens: Token[] = []
  for (let at = 0; ; ) {
    const space = match(SPACE, expression, at)?.length ?? 0
    at += space
    const place = { column: at + 1, isAfterSpace: space > 0 }
    if (at === expression.length)
      return joinUnitNames([...tokens, { kind: 'end', text: 'the end', ...place }])
    const { kind, text } = findToken(expression, at)
    tokens.push({ kind, text: kind === 'symbol' ? spell(text) : text, ...place })
    at += text.length
  }
}

function findToken(expression: string, at: number): Pick<Token, 'kind' | 'text'> {
  const number = match(NUMBER, expression, at)
  if (number) return { kind: 'number', text: number }
  const name = match(NAME, expression, at)
  if (name) return { kind: OPERATOR_WORDS.has(name) ? 'symbol' : 'name', text: name }
  const symbol = match(SYMBOL, expression, at)
  if (symbol) return { kind: 'symbol', text: symbol }
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0)
  throw new CalcError('syntax', `unexpected character ${JSON.stringify(character)}`, at + 1)
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function spell(text: string): string {
  return SPELLINGS.get(text) ?? text
}

/** A unit of several words becomes one name: `nautical mile` is read as `nautical_mile`. */
function joinUnitNames(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const words = namesFrom(tokens, at)
    while (words.length > 1 && !findUnit(words.join('_'))) words.pop()
    joined.push(words.length > 1 ? { ...token, text: words.join('_') } : token)
    at += Math.max(0, words.length - 1)
  }
  return joined
}

function namesFrom(tokens: readonly Token[], start: number): string[] {
  const next = tokens.slice(start, start + MAX_WORDS)
  const end = next.findIndex(({ kind }) => kind !== 'name')
  return next.slice(0, end < 0 ? MAX_WORDS : end).map(({ text }) => text)
}
