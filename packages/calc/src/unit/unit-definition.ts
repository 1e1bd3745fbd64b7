/** The source of the factors. */
export const SOURCES = {
  si: 'BIPM, The International System of Units, 9th edition (2019), with the units accepted for use with it',
  yard: 'International yard and pound agreement of 1959: 0.9144 m and 0.45359237 kg',
  nist: 'NIST Special Publication 811 (2008), appendix B, and Handbook 44, appendix C',
  uk: 'UK Weights and Measures Act 1985, schedule 1: gallon of 4.54609 l',
  iau: 'IAU 2012 resolution B2 (astronomical unit) and 2015 resolution B2 (parsec)',
  iec: 'IEC 80000-13:2008: byte of 8 bits, binary prefixes',
  calendar: 'Gregorian calendar: 146,097 days in 400 years; the Julian year has 365.25 days',
  currency: 'ISO 4217:2015 (codes)',
  codata: 'CODATA 2022 recommended values: measured, so not exact',
} as const

export type UnitDefinition = {
  /** Symbols, case-sensitive; the first one is printed. */
  readonly symbols: string
  /** Words in lower case, singular and irregular plurals; regular plurals in -s are accepted automatically. */
  readonly words?: string
  /**
   * A decimal or fraction, optionally `pi`, and powers of units defined elsewhere: `0.3048 m`, `1 kg m^2 s^-2`,
   * `1/180 pi rad`.
   */
  readonly is: string
  /** `si`: allows the decimal prefixes; `data`: the decimal and the binary ones. */
  readonly prefixes?: 'si' | 'data'
  readonly source: keyof typeof SOURCES
  /** Added before multiplication, on scales with a different 0: 273.15 for the degree Celsius. */
  readonly offset?: string
}

/** Decimal prefixes of the SI: symbol, word and power of ten. */
export const DECIMAL_PREFIXES: readonly (readonly [symbol: string, word: string, power: number])[] = [
  ['Q', 'quetta', 30],
  ['R', 'ronna', 27],
  ['Y', 'yotta', 24],
  ['Z', 'zetta', 21],
  ['E', 'exa', 18],
  ['P', 'peta', 15],
  ['T', 'tera', 12],
  ['G', 'giga', 9],
  ['M', 'mega', 6],
  ['k', 'kilo', 3],
  ['h', 'hecto', 2],
  ['da', 'deca', 1],
  ['d', 'deci', -1],
  ['c', 'centi', -2],
  ['m', 'milli', -3],
  ['u', 'micro', -6],
  ['n', 'nano', -9],
  ['p', 'pico', -12],
  ['f', 'femto', -15],
  ['a', 'atto', -18],
  ['z', 'zepto', -21],
  ['y', 'yocto', -24],
  ['r', 'ronto', -27],
  ['q', 'quecto', -30],
]

/** Binary prefixes of IEC 80000-13: symbol, word and power of 1024. */
export const BINARY_PREFIXES: readonly (readonly [symbol: string, word: string, power: number])[] = [
  ['Ki', 'kibi', 1],
  ['Mi', 'mebi', 2],
  ['Gi', 'gibi', 3],
  ['Ti', 'tebi', 4],
  ['Pi', 'pebi', 5],
  ['Ei', 'exbi', 6],
  ['Zi', 'zebi', 7],
  ['Yi', 'yobi', 8],
]
