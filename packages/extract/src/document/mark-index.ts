/** What stands before and after an exponent or index, so that it stays apart from its base. */
export type IndexMarks = { readonly open: '' | '^' | '_' | '^(' | '_('; readonly close: '' | ')' }

/**
 * 10^6 is not 106, x^(2n) not x2n, and a_i not ai. Ordinals, notes of words and formulas such as H2O need no marks.
 */
export function markIndex(
  kind: 'sup' | 'sub',
  text: string,
  { before, after }: { readonly before: string; readonly after: string },
): IndexMarks {
  if (kind === 'sup') {
    if (!BASE.test(before)) return NONE
    if (/^[-+\u2212]?\d+$|^[ijkmnpqxyzT]$/.test(text)) return { open: '^', close: '' }
    return EXPRESSION.test(text) ? { open: '^(', close: ')' } : NONE
  }
  if (/^\d/.test(text) && (/\d$/.test(before) || /^\d/.test(after))) return { open: '_', close: '' }
  if (!SYMBOL.test(before)) return NONE
  if (/^\p{L}+$/u.test(text)) return { open: '_', close: '' }
  return EXPRESSION.test(text) ? { open: '_(', close: ')' } : NONE
}

const NONE: IndexMarks = { open: '', close: '' }
/** A number, a bracket or a short name; after a longer word it is the number of a note. */
const BASE = /[\d)\]]$|(?<!\p{L})\p{L}{1,3}$/u
/** A single letter. */
const SYMBOL = /(?<![\p{L}\d])\p{L}$/u
/** Several terms, or a number with a letter: `2n`, `n+1`, `-t`, `1/2`, `0.5`. `1-3` is a range of notes. */
const EXPRESSION =
  /^(?=.*[\p{L}/.])(?:[-+\u2212]\p{L}|[-+\u2212]?\d+(?:\p{L}|[./]\d+)|[-+\u2212]?\d*\p{L}(?:[-+\u2212/]\d*\p{L}|[-+\u2212/]\d+)+|[-+\u2212]?\d+[-+\u2212/]\d*\p{L})$/u
