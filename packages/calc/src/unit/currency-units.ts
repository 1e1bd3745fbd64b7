import { CURRENCIES, type Currency } from './currencies.ts'
import type { UnitDefinition } from './unit-definition.ts'

const WORDS: Readonly<Partial<Record<Currency, string>>> = {
  USD: 'dollar buck',
  EUR: 'euro',
  JPY: 'yen',
  INR: 'rupee',
}

export const CURRENCY_UNITS: readonly UnitDefinition[] = CURRENCIES.map((code) => ({
  // Not a word, whose plural would make a pound of Gbps.
  symbols: `${code} ${code.toLowerCase()}`,
  words: WORDS[code] ?? '',
  is: `1 ${code}`,
  source: 'currency',
}))
