import { RUN_TOGETHER, termsOf } from '@tollbook/flow/text/term-vectors'
import { isNote } from './is-note.ts'

/** Shorter ones are captions and labels. */
export const MIN_TERMS = 5
/** A text of this many words without a full stop may be a note or a heading of a feed; a shorter one is a label. */
const MIN_UNFINISHED_TERMS = 12
/** Prices, tables and counters have a larger share of numbers. */
const MIN_WORD_SHARE = 0.6
const END = /[.!?…。！？।؟۔][)\]"'”’»」]*$/
const PRICE = /(?:[$€£¥₹]|\b(?:EUR|USD|GBP|CHF|JPY)\b)\s?\d|\d\s?(?:[€£]|(?:EUR|USD|GBP|CHF)\b)/

/**
 * Whether a sentence is prose: words rather than numbers, with an end, or long, or of a script without spaces; no
 * hatnote, citation or markup.
 */
export function isProse(sentence: string): boolean {
  const terms = termsOf(sentence)
  const words = terms.filter((term) => /\p{L}/u.test(term))
  if (terms.length < MIN_TERMS || words.length < MIN_WORD_SHARE * terms.length || isNote(sentence))
    return false
  if (END.test(sentence) || RUN_TOGETHER.test(sentence)) return true
  return terms.length >= MIN_UNFINISHED_TERMS && !PRICE.test(sentence)
}
