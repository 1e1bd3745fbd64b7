import { loadO200k } from './tokens/count-o200k.ts'

/** Counts the tokens of a text in time roughly linear in its length, whatever its content. */
export type TokenCounter = (text: string) => number

/**
 * Words are split into pieces: byte pair merging takes quadratic time in the length of a word, so 200 KB of
 * one letter would take 23 seconds. Few words are longer than a piece, so counts of prose are unaffected.
 */
const RUN = /\s{0,16}\S{1,64}|\s{1,64}/gu
/**
 * Maximum length of a text that is counted completely, in UTF-16 code units: about 25 ms for the worst case,
 * random letters or CJK.
 */
const MAX_WHOLE_LENGTH = 8_192
/** A longer text is counted in samples at equal distances. */
const SAMPLES = 16
const SAMPLE_LENGTH = MAX_WHOLE_LENGTH / SAMPLES

/**
 * Loads a counter for o200k, the byte pair encoding of recent hosted models
 * (https://github.com/openai/tiktoken). Counts of other models differ by a few tenths; it is used if an
 * upstream reports no counts.
 */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const countTokens = await loadO200k()

  function countWhole(text: string): number {
    let count = 0
    for (const [run] of text.matchAll(RUN)) count += countTokens(run)
    return count
  }

  return (text) => {
    if (text.length <= MAX_WHOLE_LENGTH) return countWhole(text)
    const step = (text.length - SAMPLE_LENGTH) / (SAMPLES - 1)
    let count = 0
    for (let at = 0; at < SAMPLES; at += 1) {
      const start = Math.round(at * step)
      count += countWhole(text.slice(start, start + SAMPLE_LENGTH))
    }
    return Math.ceil((count * text.length) / MAX_WHOLE_LENGTH)
  }
}
