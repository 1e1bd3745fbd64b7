/** Counts the tokens of a text in about the time that its length takes, whatever it holds. */
export type TokenCounter = (text: string) => number

/**
 * What stands between white space is cut into pieces: merging the bytes of one takes the square of its length, so that
 * 200 KB of one letter would take 23 seconds. Few words are longer, so that the count of prose stays the same.
 */
const RUN = /\s{0,16}\S{1,64}|\s{1,64}/gu
/** Longest text that is counted whole, in UTF-16 units: of random letters or CJK, the dearest there are, some 25 ms. */
const MAX_WHOLE_LENGTH = 8_192
/** A longer one is counted in samples at equal distances. */
const SAMPLES = 16
const SAMPLE_LENGTH = MAX_WHOLE_LENGTH / SAMPLES

/**
 * Loads a counter of o200k, the byte pair encoding of recent hosted models (https://github.com/openai/tiktoken). Other
 * models count some tenths more or less: it stands in where an upstream tells no count of its own.
 */
export async function loadTokenCounter(): Promise<TokenCounter> {
  // A quarter of a second and 75 MB, which only who sells chats needs.
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base')
  // Full of words that an attacker made up, the cache costs more than it saves.
  setMergeCacheSize(0)
  // What looks like a control token is text, as in the answer of a model.
  const asText = { disallowedSpecial: new Set<string>() }

  function countWhole(text: string): number {
    let count = 0
    for (const [run] of text.matchAll(RUN)) count += countTokens(run, asText)
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
