/** Marks that change the direction or the shape of the text around them, and invisible ones that hide words. */
const INVISIBLE =
  /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff]/gu
const CUT_MARK = '…'

/**
 * Makes someone else's text fit to be shown on one line: control characters become spaces, invisible and
 * direction marks vanish, spaces collapse. What remains still has to be escaped where it is rendered.
 */
export function toPlainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(INVISIBLE, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

/**
 * Cuts a text to at most `most` characters, between words where a word ends in the last quarter.
 * @example cutText('one two three', 10) // 'one two…'
 */
export function cutText(text: string, most: number): string {
  const characters = [...text]
  if (characters.length <= most) return text
  const kept = characters.slice(0, most - CUT_MARK.length).join('')
  const endsOnWord = characters[most - CUT_MARK.length] === ' '
  const space = endsOnWord ? kept.length : kept.lastIndexOf(' ')
  const end = space >= kept.length * 0.75 ? space : kept.length
  return kept.slice(0, end).trimEnd() + CUT_MARK
}
