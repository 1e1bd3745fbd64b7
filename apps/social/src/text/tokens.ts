/** Scripts that are written without spaces and searched by pairs of characters. */
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー`
/** Where an emoji may begin: trying the full pattern at every position takes most of the time. */
const EMOJI_START = String.raw`(?=[\p{Emoji}--\p{ASCII}]|[0-9#*]\ufe0f)`
/** An emoji with all its parts, a run of CJK characters, or a word in any other script. */
const UNIT = new RegExp(
  String.raw`${EMOJI_START}\p{RGI_Emoji}(?<![\p{ASCII}])|[${CJK}]+|[[\p{L}\p{M}\p{N}_]--[${CJK}]]+`,
  'gv',
)
const IS_RUN = new RegExp(`^[${CJK}]`, 'v')
/** Keycaps begin with a digit, so they must be matched as emoji before words. */
const IS_EMOJI = /^\p{RGI_Emoji}$/v
const IS_ASCII = /^\p{ASCII}*$/u
const ASCII_WORD = /[a-z0-9_]+/g
/** Accents of Latin, Greek and Cyrillic; marks of other scripts are part of their words. */
const ACCENTS = /[\u0300-\u036f]/g
/** Scripts without spaces that are segmented by a dictionary. */
const DIVIDED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const segmenter = new Intl.Segmenter('th', { granularity: 'word' })

/**
 * The tokens of a text in order, for the index and for queries: words without case and accents, each emoji as one
 * token, Chinese, Japanese and Korean as overlapping pairs of characters with the last character of a run by itself,
 * Thai and related scripts segmented by a dictionary.
 * @example tokensOf('Café 日本語 ☕') // ['cafe', '日本', '本語', '語', 'e_2615']
 */
export function tokensOf(text: string): string[] {
  // The fast path for most texts: no accents, CJK characters or emoji.
  if (IS_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? []
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase()
  return (plain.match(UNIT) ?? []).flatMap((unit) => {
    if (IS_ASCII.test(unit)) return unit
    if (IS_RUN.test(unit)) return pairsOf(unit)
    if (IS_EMOJI.test(unit)) return toEmojiToken(unit)
    return DIVIDED.test(unit) ? divide(unit) : unit
  })
}

/** Letters only, so that every index treats it as one word. */
function toEmojiToken(emoji: string): string {
  return ['e', ...[...emoji].map((sign) => sign.codePointAt(0)?.toString(16))].join('_')
}

function pairsOf(run: string): string[] {
  const signs = [...run]
  return signs.map((sign, at) => `${sign}${signs[at + 1] ?? ''}`)
}

function divide(word: string): string[] {
  return [...segmenter.segment(word)].map(({ segment }) => segment)
}

/** Tokens that must occur consecutively; if `isOpen`, a prefix of the last one is sufficient. */
export type TokenPhrase = { readonly tokens: readonly string[]; readonly isOpen: boolean }

/**
 * The phrase to search for: a text that ends in Chinese, Japanese or Korean may continue in the text that is
 * found, so its last character is omitted or, if it is the only one, is the prefix of a pair. Null for a text
 * without words.
 */
export function toPhrase(text: string): TokenPhrase | null {
  const tokens = tokensOf(text)
  const last = tokens.at(-1)
  if (last === undefined) return null
  if (!IS_SIGN.test(last)) return { tokens, isOpen: false }
  const before = tokens.at(-2)
  const isAfterPair =
    before !== undefined && [...before].length === 2 && before.endsWith(last) && IS_PAIR.test(before)
  return isAfterPair ? { tokens: tokens.slice(0, -1), isOpen: false } : { tokens, isOpen: true }
}

const IS_SIGN = new RegExp(`^[${CJK}]$`, 'v')
const IS_PAIR = new RegExp(`^[${CJK}]{2}$`, 'v')
