/** Letters before the first hyphen, lower case. */
export function primaryLanguage(tag: string): string {
  return (tag.trim().split('-')[0] ?? '').toLowerCase()
}

/**
 * Whether a language tag begins with a language subtag of the IANA registry. Of two letters the platform knows all;
 * of the three-letter ones, those that the registry leaves out have a code of two letters and become it.
 */
export function isKnownLanguage(tag: string): boolean {
  const primary = primaryLanguage(tag)
  if (!/^[a-z]{2,3}$/.test(primary)) return false
  const canonical = Intl.getCanonicalLocales(primary)[0] ?? ''
  if (primary.length === 3) return canonical.length === 3 || REGISTERED_BESIDES.has(primary)
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(canonical) !== undefined
}

/** In the registry, although the platform replaces them. */
const REGISTERED_BESIDES = new Set([
  'cmn',
  'ekk',
  'lvs',
  'swc',
  'zsm',
  'arb',
  'pes',
  'uzn',
  'azj',
  'fil',
  'tl',
])
