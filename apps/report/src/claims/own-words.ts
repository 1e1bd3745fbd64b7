/** Right of reply: long enough for an explanation and a link. */
export const MAX_STATEMENT_CHARACTERS = 500

/**
 * Characters that could hide or disguise words: controls and line breaks, direction and zero-width marks
 * except the two joiners of scripts and emoji, private and noncharacters, tags.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u{e0000}-\u{e0fff}]|(?![\u200c\u200d])\p{Cf}/u
const READABLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const LINE_BREAK_OR_TAB = /[\n\t]/g
/** No script stacks this many marks on one letter; more of them overlap the lines above. */
const STACKED_MARKS = /\p{M}{9}/u

/** The validation error of a merchant's statement; null when it may be published. */
export function findStatementIssue(text: string): string | null {
  const length = [...text].length
  if (length > MAX_STATEMENT_CHARACTERS)
    return `must have at most ${MAX_STATEMENT_CHARACTERS} characters; it has ${length}`
  if (!READABLE.test(text)) return 'has no visible text; omit it to publish no statement'
  if (text.trim() !== text) return 'begins or ends with a space'
  return findTextIssue(text)
}

/** The validation error of plain text on one line; null when it is valid. */
export function findTextIssue(text: string): string | null {
  if (UNSEEN.test(text))
    return 'has a line break, a control character, a direction mark or another invisible character'
  return STACKED_MARKS.test(text) ? 'has more than eight marks on one letter' : null
}

/** The same, but line breaks and tabs are allowed. */
export function findLinesIssue(text: string): string | null {
  return findTextIssue(text.replaceAll(LINE_BREAK_OR_TAB, ' '))
    ? 'has a control character, a direction mark or another invisible character'
    : null
}
