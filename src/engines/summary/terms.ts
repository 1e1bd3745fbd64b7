const RUN_TOGETHER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u

/** In most inflected languages, endings start after this many letters. */
const STEM_LENGTH = 6

/** The words of a text without their endings; scripts without spaces are segmented by a dictionary. */
export function termsOf(text: string): string[] {
  const lower = text.normalize('NFKC').toLowerCase()
  return wordsIn(lower).map((word) => word.slice(0, STEM_LENGTH))
}

function wordsIn(text: string): string[] {
  if (!RUN_TOGETHER.test(text)) return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}
