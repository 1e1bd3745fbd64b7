/** Each currency is a dimension of its own: amounts of two are never added or converted. */
export const CURRENCIES = [
  'USD',
  'EUR',
  'GBP',
  'JPY',
  'CNY',
  'INR',
  'KRW',
  'CHF',
  'CAD',
  'AUD',
  'BRL',
  'MXN',
  'SEK',
  'NOK',
  'DKK',
  'PLN',
] as const

export type Currency = (typeof CURRENCIES)[number]

export function isCurrency(name: string): boolean {
  return CURRENCIES.some((code) => code === name)
}
