const MARKS = /[\u0300-\u036f]/g
/** Words that express that an icon is wanted, but not which one. */
const EMPTY_WORDS = new Set([
  'fa',
  'fas',
  'far',
  'fab',
  'icon',
  'icons',
  'symbol',
  'glyph',
  'the',
  'a',
  'an',
  'of',
])

/** Written as CSS classes: `fa-solid fa-user`. */
const STYLE_CLASS = /\bfa-(?:solid|regular|brands|light|thin|duotone|sharp)\b/g

/** The words and symbols of a name, a label, a term or a query, in lower case and without accents. */
export function wordsOf(text: string): string[] {
  const parted = text.replace(STYLE_CLASS, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  const plain = parted.normalize('NFKD').replace(MARKS, '').toLowerCase()
  return plain.match(/[\p{L}\p{N}]+|\p{S}/gu) ?? []
}

/** The words of a query that describe the icon; all words if no others are left. */
export function withoutEmptyWords(words: readonly string[]): readonly string[] {
  const specific = words.filter((word) => !EMPTY_WORDS.has(word))
  return specific.length > 0 ? specific : words
}

/** A word without the most common English endings, so that `saving`, `saved` and `saves` are equal. */
export function stemOf(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word
  const singular = word.replace(/ies$/, 'y').replace(/(ss|us|is)$|(ch|sh|x|z|s)es$|s$/, '$1$2')
  const bare = singular.replace(/^(.{3,}?)(?:ing|ed)$/, '$1')
  const single = bare === singular ? bare : bare.replace(/([bdfgmnprt])\1$/, '$1')
  return single.length > 3 ? single.replace(/e$/, '').replace(/y$/, 'i') : single
}
