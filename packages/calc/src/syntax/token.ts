import { CalcError } from '../calc-error.ts'
import { findUnit } from '../unit/find-unit.ts'
import { reorderHowMany } from './how-many.ts'
import { refuseLookalikes } from './lookalikes.ts'
import { NumberReader } from './number-reader.ts'
import { withoutQuestion } from './question.ts'
import { type Token, tokenOf } from './token-type.ts'
import { rewriteWords } from './typed-words.ts'
import { findFunction, isKnownWord } from './vocabulary.ts'

/** Max expression length, in UTF-16 units. */
export const MAX_EXPRESSION_LENGTH = 1000

const SPACE = /\s+/y
const NAME = /[\p{L}°℃℉][\p{L}\p{M}\d_]*/uy
const SYMBOL =
  /\*\*|\/\/|!!(?!=)|!=|<=|>=|==|->|=>|''|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[-+*/^!%(),<>=·×÷−–⋅∙→≤≥≠⁄∕√∛|'"′″’”$€£¥₹₩]/uy

/** Alternative spellings of operators. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '**': '^',
    '·': '*',
    '⋅': '*',
    '∙': '*',
    '×': '*',
    '÷': '/',
    '⁄': '/',
    '∕': '/',
    '−': '-',
    '–': '-',
    '==': '=',
    '≤': '<=',
    '≥': '>=',
    '≠': '!=',
    '->': 'to',
    '=>': 'to',
    '→': 'to',
    per: '/',
  }),
)
/** Words that are operators, not names. */
const OPERATOR_WORDS = new Set(['to', 'mod', 'per', 'of'])
/** The longest unit names have this many words: imperial fluid ounce. */
const MAX_WORDS = 3

/**
 * Splits an expression into tokens; the last one is the end token.
 * @throws CalcError at an invalid character, at what is no arithmetic (a date), or if the text is too long.
 */
export function readTokens(expression: string): readonly Token[] {
  if (expression.length > MAX_EXPRESSION_LENGTH)
    throw new CalcError(
      'syntax',
      `the expression has ${expression.length} characters (limit ${MAX_EXPRESSION_LENGTH})`,
    )
  const text = withoutQuestion(expression)
  refuseLookalikes(text)
  return joinUnitNames(rewriteWords(reorderHowMany(splitTokens(text))))
}

function splitTokens(expression: string): readonly Token[] {
  const tokens: Token[] = []
  const numbers = new NumberReader(expression)
  for (let at = 0; ; ) {
    const space = match(SPACE, expression, at)?.length ?? 0
    at += space
    const place = { column: at + 1, isAfterSpace: space > 0 }
    if (at === expression.length) return [...tokens, { kind: 'end', text: 'the end', ...place }]
    const number = numbers.read(at, tokens.at(-1))
    const { kind, text, length } = number ?? findToken(expression, at, { before: tokens.at(-1), ...place })
    if (kind === 'symbol') numbers.noteSymbol(text, at, argumentsOf(tokens.at(-1)))
    tokens.push({ kind, text: kind === 'symbol' ? spell(text) : text, ...place })
    at += length
  }
}

type Context = { readonly before: Token | undefined; readonly isAfterSpace: boolean }
type Found = Pick<Token, 'kind' | 'text'> & { readonly length: number }

function findToken(expression: string, at: number, context: Context): Found {
  const name = match(NAME, expression, at)
  if (name) return readName(name, context)
  const symbol = match(SYMBOL, expression, at)
  if (symbol) return { kind: 'symbol', text: symbol, length: symbol.length }
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0)
  throw new CalcError('syntax', `unexpected character ${JSON.stringify(character)}`, at + 1)
}

/** A name ends at a digit that cannot belong to it: `h30m` after `1`, `x3` after `5`, `C2` after `5`. */
function readName(name: string, { before, isAfterSpace }: Context): Found {
  const word = OPERATOR_WORDS.has(name.toLowerCase()) ? name.toLowerCase() : name
  if (OPERATOR_WORDS.has(word)) return { kind: 'symbol', text: word, length: name.length }
  const whole: Found = { kind: 'name', text: name, length: name.length }
  if (!/\d/.test(name) || isKnownWord(name)) return whole
  const isAfterNumber = before?.kind === 'number'
  const isAfterOperand = !isAfterSpace && (isAfterNumber || /^[)'"′″’”]$/.test(before?.text ?? ''))
  if (isAfterOperand && /^x\d/i.test(name)) return { kind: 'symbol', text: 'x', length: 1 }
  if (isAfterNumber && /^C\d+$/.test(name)) return { kind: 'symbol', text: 'choose', length: 1 }
  if (isAfterNumber && /^P\d+$/.test(name)) return { kind: 'symbol', text: 'permute', length: 1 }
  const [letters = name] = /^\D+/.exec(name) ?? []
  const isPower = /^\D+[23]$/.test(name)
  return isPower || !findUnit(letters) ? whole : { kind: 'name', text: letters, length: letters.length }
}

/** How many arguments a parenthesis after this token takes. */
function argumentsOf(before: Token | undefined): number {
  const name = before?.kind === 'name' ? findFunction(before.text) : null
  return name?.max ?? (before?.text === 'mod' ? 2 : 1)
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
    const words = namesFrom(tokens, at)
    while (words.length > 1 && !findUnit(words.join('_'))) words.pop()
    const token = tokenOf(tokens, at)
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
