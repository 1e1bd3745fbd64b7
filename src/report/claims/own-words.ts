/** Right of reply: long enough for a cause and where to read more. */
export const MAX_STATEMENT_CHARACTERS = 500

/**
 * What is not shown as it is, and so could hide or disguise words: controls with line breaks, direction and
 * zero-width marks (but the two joiners that scripts and emoji need), private and noncharacters, tags.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u{e0000}-\u{e0fff}]|(?![\u200c\u200d])\p{Cf}/u
const READABLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const LINE_BREAK_OR_TAB = /[\n\t]/g
/** No script stacks so many marks on one letter; more of them run over the lines above. */
const STACKED_MARKS = /\p{M}{9}/u

/** What is wrong with a merchant's statement; null when it may be published. */
export function findStatementFault(text: string): string | null {
  const length = [...text].length
  if (length > MAX_STATEMENT_CHARACTERS)
    return `must have at most ${MAX_STATEMENT_CHARACTERS} characters; it has ${length}`
  if (!READABLE.test(text)) return 'has nothing to read; leave it out to publish no statement'
  if (text.trim() !== text) return 'begins or ends with a space'
  return findTextFault(text)
}

/** What is wrong with plain text of one line; null when nothing is. */
export function findTextFault(text: string): string | null {
  if (UNSEEN.test(text))
    return 'has a line break, a control character, a direction mark or another character that is not shown'
  return STACKED_MARKS.test(text) ? 'has more than eight marks on one letter' : null
}

/** The same where lines and tabs are allowed. */
export function findLinesFault(text: string): string | null {
  return findTextFault(text.replaceAll(LINE_BREAK_OR_TAB, ' '))
    ? 'has a control character, a direction mark or another character that is not shown'
    : null
}
