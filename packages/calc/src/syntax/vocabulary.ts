import { findUnit } from '../unit/find-unit.ts'

/** Min and max number of arguments of each function. */
export const FUNCTIONS = {
  sqrt: [1, 1],
  cbrt: [1, 1],
  root: [2, 2],
  pow: [2, 2],
  powmod: [3, 3],
  exp: [1, 1],
  ln: [1, 1],
  log: [1, 2],
  log2: [1, 1],
  log10: [1, 1],
  sin: [1, 1],
  cos: [1, 1],
  tan: [1, 1],
  asin: [1, 1],
  acos: [1, 1],
  atan: [1, 1],
  atan2: [2, 2],
  sinh: [1, 1],
  cosh: [1, 1],
  tanh: [1, 1],
  asinh: [1, 1],
  acosh: [1, 1],
  atanh: [1, 1],
  abs: [1, 1],
  sign: [1, 1],
  floor: [1, 1],
  ceil: [1, 1],
  trunc: [1, 1],
  round: [1, 2],
  mod: [2, 2],
  min: [1, 100],
  max: [1, 100],
  sum: [1, 100],
  mean: [1, 100],
  median: [1, 100],
  hypot: [1, 100],
  gcd: [1, 100],
  lcm: [1, 100],
  factorial: [1, 1],
  gamma: [1, 1],
  nCr: [2, 2],
  nPr: [2, 2],
} as const satisfies Record<string, readonly [min: number, max: number]>

export type FunctionName = keyof typeof FUNCTIONS

/** Alternative names of functions, in lower case; the functions themselves may be written in any case. */
const FUNCTION_ALIASES: ReadonlyMap<string, FunctionName> = new Map([
  ['average', 'mean'],
  ['avg', 'mean'],
  ['arcsin', 'asin'],
  ['arccos', 'acos'],
  ['arctan', 'atan'],
  ['ceiling', 'ceil'],
  ['ncr', 'nCr'],
  ['npr', 'nPr'],
  ['fact', 'factorial'],
  ['sgn', 'sign'],
])

/** Constants and their alternative spellings. */
export const CONSTANTS = {
  pi: 'pi',
  PI: 'pi',
  Pi: 'pi',
  π: 'pi',
  tau: 'tau',
  τ: 'tau',
  e: 'e',
  phi: 'phi',
  φ: 'phi',
} as const

export type ConstantName = (typeof CONSTANTS)[keyof typeof CONSTANTS]

/** Words of the size of a number, and the zeros that they add. `K` is the kelvin, `m` the metre. */
export const SCALES: ReadonlyMap<string, number> = new Map([
  ['k', 3],
  ['M', 6],
  ['hundred', 2],
  ['thousand', 3],
  ['million', 6],
  ['mln', 6],
  ['billion', 9],
  ['bn', 9],
  ['trillion', 12],
])

/** After the sign of a currency, these letters can be nothing else. */
export const SCALES_OF_MONEY: ReadonlyMap<string, number> = new Map([
  ...SCALES,
  ['K', 3],
  ['m', 6],
  ['b', 9],
  ['B', 9],
  ['T', 12],
])

export const CURRENCY_SIGNS: ReadonlyMap<string, string> = new Map([
  ['$', 'USD'],
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
  ['₹', 'INR'],
  ['₩', 'KRW'],
])

export type OperatorPhrase = {
  /** In lower case. */
  readonly words: readonly string[]
  readonly kind: 'name' | 'number' | 'symbol'
  readonly text: string
  /** Whether it stands before its operand rather than after one. */
  readonly isPrefix: boolean
}

/** Operators in words, the longest first. */
export const OPERATOR_PHRASES: readonly OperatorPhrase[] = [
  ...phrases('name', true, {
    'square root of': 'sqrt',
    'cube root of': 'cbrt',
    'square root': 'sqrt',
    'cube root': 'cbrt',
  }),
  ...phrases('number', true, {
    'half of': '1/2',
    'a third of': '1/3',
    'a quarter of': '1/4',
  }),
  ...phrases('symbol', false, {
    'to the power of': '^',
    'raised to the power of': '^',
    'multiplied by': '*',
    'divided by': '/',
    plus: '+',
    minus: '-',
    times: '*',
    squared: '²',
    cubed: '³',
    choose: 'choose',
    off: 'off',
    tip: 'tip',
    tax: 'tip',
    vat: 'tip',
    gst: 'tip',
    discount: 'tip',
  }),
]

function phrases(
  kind: OperatorPhrase['kind'],
  isPrefix: boolean,
  texts: Readonly<Record<string, string>>,
): readonly OperatorPhrase[] {
  return Object.entries(texts).map(([words, text]) => ({ words: words.split(' '), kind, text, isPrefix }))
}

/** The function of a name in any case, with the max number of its arguments. */
export function findFunction(name: string): { readonly name: FunctionName; readonly max: number } | null {
  const lower = name.toLowerCase()
  const found = [name, lower, FUNCTION_ALIASES.get(lower)].find(
    (candidate) => candidate !== undefined && isFunctionName(candidate),
  ) as FunctionName | undefined
  return found === undefined ? null : { name: found, max: FUNCTIONS[found][1] }
}

export function isKnownWord(name: string): boolean {
  return findFunction(name) !== null || findConstant(name) !== null || findUnit(name) !== null
}

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name)
}

export function findConstant(name: string): ConstantName | null {
  return Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name as keyof typeof CONSTANTS] : null
}
