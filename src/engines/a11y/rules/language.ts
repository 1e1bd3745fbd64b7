/** The letters before the first hyphen, in lower case. */
export function primaryLanguage(tag: string): string {
  return (tag.trim().split('-')[0] ?? '').toLowerCase()
}

/**
 * Whether a language tag begins with a language subtag of the IANA registry. `Intl` covers all two-letter
 * subtags. A three-letter subtag that is not registered has a two-letter equivalent, to which `Intl`
 * canonicalises it.
 */
export function isKnownLanguage(tag: string): boolean {
  const primary = primaryLanguage(tag)
  if (!/^[a-z]{2,3}$/.test(primary)) return false
  const canonical = Intl.getCanonicalLocales(primary)[0] ?? ''
  if (primary.length === 3) return canonical.length === 3 || ALSO_REGISTERED.has(primary)
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(canonical) !== undefined
}

/** Registered, although `Intl` replaces them. */
const ALSO_REGISTERED = new Set(['cmn', 'ekk', 'lvs', 'swc', 'zsm', 'arb', 'pes', 'uzn', 'azj', 'fil', 'tl'])
