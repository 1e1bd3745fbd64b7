/**
 * The mark that separates an exponent or index from its base: 10^6 is not 106. Ordinals, notes of words and formulas
 * such as H2O need none.
 */
export function markIndex(
  kind: 'sup' | 'sub',
  text: string,
  { before, after }: { readonly before: string; readonly after: string },
): '' | '^' | '_' {
  if (kind === 'sup') return /^[-+\u2212]?\d+$|^[iknx]$/.test(text) && BASE.test(before) ? '^' : ''
  return /^\d/.test(text) && (/\d$/.test(before) || /^\d/.test(after)) ? '_' : ''
}

/** A number, a bracket or a short name; after a longer word it is the number of a note. */
const BASE = /[\d)\]]$|(?<!\p{L})\p{L}{1,3}$/u
