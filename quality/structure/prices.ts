import type { Count } from './count.ts'

const CURRENCY = '[$€£¥₹₽₪₩]|R\\$|zł|kr|Kč|лв|руб|р\\.|Ft|lei|TL|[A-Z]{3}'
const NUMBER = "\\d{1,3}(?:[.,\\u00a0\\u202f ']\\d{3})+(?:[.,]\\d{1,2})?|\\d+(?:[.,]\\d{1,2})?"
const PRICES = new RegExp(`(${CURRENCY})?\\s{0,2}(${NUMBER})(?!\\d)\\s{0,2}(${CURRENCY})?`, 'g')

/** Counts whether the price of a product is in each text, if it is in the page. */
export function countPrice(
  price: string,
  page: string,
  systems: Readonly<Record<string, string>>,
  count: Count,
): void {
  if (!pricesIn(page).has(Number(price))) return
  for (const [system, text] of Object.entries(systems))
    count('prices of products kept', system, Number(pricesIn(text).has(Number(price))), 1)
}

/** The amounts in a text that have a currency next to them or two decimals. */
function pricesIn(text: string): ReadonlySet<number> {
  const found = [...text.matchAll(PRICES)]
    .filter(([, before, number, after]) => before ?? after ?? /[.,]\d\d$/.test(number ?? ''))
    .map(([, , number]) => toNumber(number ?? ''))
  return new Set(found)
}

/** A point or comma with one or two digits after it is the decimal one. */
function toNumber(text: string): number {
  const [, whole = text, decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(text) ?? []
  return Number(`${whole.replace(/\D/g, '')}.${decimals || '0'}`)
}
