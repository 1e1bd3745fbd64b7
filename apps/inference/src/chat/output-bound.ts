import type { TokenCounter } from '@tollbook/models/token-count'

/** Detects an answer that is longer than its request allows. */
export interface OutputBound {
  /** Adds text of the answer; true when the total exceeds the bound. */
  isPassedWith(text: string): boolean
}

/** Models whose tokens are longer than those of o200k count some tenths fewer. */
const TOLERANCE = 1.5
/** Extra tokens for short answers: names of tools and markers that some upstreams do not count. */
const TOLERATED_TOKENS = 16

/**
 * Bounds the text of a stream whose upstream ignores `max_tokens`. Text is counted only when its bytes could
 * be too many tokens, so that answers below the bound cost almost nothing.
 * @param maxTokens the bound that was sent to the upstream; undefined: none.
 */
export function createOutputBound(maxTokens: number | undefined, countTokens: TokenCounter): OutputBound {
  const allowed =
    maxTokens === undefined ? Number.POSITIVE_INFINITY : maxTokens * TOLERANCE + TOLERATED_TOKENS
  let counted = 0
  let uncounted = ''
  let uncountedBytes = 0
  return {
    isPassedWith(text) {
      if (allowed === Number.POSITIVE_INFINITY || text === '') return false
      uncounted += text
      // A token of a byte pair encoding is at least one byte.
      uncountedBytes += Buffer.byteLength(text)
      if (counted + uncountedBytes <= allowed) return false
      counted += countTokens(uncounted)
      uncounted = ''
      uncountedBytes = 0
      return counted > allowed
    },
  }
}
