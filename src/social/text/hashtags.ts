import { allMatches } from './all-matches.ts'
import type { TextSpan } from './text-span.ts'
import { findUrls } from './urls.ts'

/** Characters within words of some scripts, as twitter-text allows them in hashtags. */
const JOINERS = String.raw`_\u200c\u200d\ua67e\u05be\u05f3\u05f4\uff5e\u301c\u309b\u309c\u30a0\u30fb\u3003\u0f0b\u0f0c\u00b7`
const LETTER = String.raw`\p{L}\p{M}`
const WORD = String.raw`[${LETTER}\p{Nd}${JOINERS}]`
/** At least one letter, not the start of a keycap emoji, and not preceded by a word or an HTML entity. */
const HASHTAG = new RegExp(
  String.raw`(?<=^|[\ufe0e\ufe0f]|(?!${WORD}|&)[\s\S])[#＃](?!\ufe0f|\u20e3)(?<tag>${WORD}*[${LETTER}]${WORD}*)(?!${WORD})(?![#＃]|://)`,
  'gu',
)

/** The hashtags of a text, in order; the span includes the `#`; those within URLs are excluded. */
export function findHashtags(text: string): (TextSpan & { readonly tag: string })[] {
  const found = allMatches(HASHTAG, text).map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    tag: match.groups?.tag ?? '',
  }))
  if (found.length === 0) return found
  const urls = findUrls(text)
  return found.filter(({ start, end }) => urls.every((url) => end <= url.start || start >= url.end))
}
