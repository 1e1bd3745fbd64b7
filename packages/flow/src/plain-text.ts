/**
 * Direction marks, and invisible ones, in which a sentence for an agent can be hidden: fillers, tags,
 * variation selectors. U+200C, U+200D and U+FE0F stay, since Persian and emoji need them.
 */
const INVISIBLE =
  /[[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]--[\u200c\u200d\ufe0f]]/gv
/** More marks on one letter than any script needs overlap the neighbouring lines. */
const MARK_TOWER = /(\p{M}{4})\p{M}+/gu
const CUT_MARK = '…'

/** Untrusted text without invisible and direction marks, which JSON may be, too; not escaped. */
export function toVisible(text: string): string {
  return text.toWellFormed().replaceAll(INVISIBLE, '').replaceAll(MARK_TOWER, '$1')
}

/** Untrusted text for one line, without control, invisible and direction marks; not escaped. */
export function toPlainText(text: string): string {
  return toVisible(text)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

/** Cuts a text to at most `max` characters, between words where a word ends in the last quarter. */
export function cutText(text: string, max: number): string {
  const characters = [...text]
  if (characters.length <= max) return text
  const shortened = characters.slice(0, max - CUT_MARK.length).join('')
  const endsOnWord = characters[max - CUT_MARK.length] === ' '
  const space = endsOnWord ? shortened.length : shortened.lastIndexOf(' ')
  const end = space >= shortened.length * 0.75 ? space : shortened.length
  return shortened.slice(0, end).trimEnd() + CUT_MARK
}
