/**
 * Seconds that a character adds to speech at speed 1, measured with Flite and eSpeak NG and rounded down:
 * running text has 17 characters per second; digits are spoken as words.
 */
const SECONDS_PER_LETTER = 0.05
const SECONDS_PER_DIGIT = 0.25
/** Signs such as % and $, which are spoken as words. */
const SECONDS_PER_SIGN = 0.25
const DIGITS = /\d/g
const SIGNS = /[%$&@#+=€£§]/g
const LETTERS = /[A-Za-z]/g

/** The minimum length of the speech of a text, estimated before synthesis; for rejections, not for prices. */
export function estimateMinSeconds(text: string, speed: number): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const seconds =
    count(LETTERS) * SECONDS_PER_LETTER + count(DIGITS) * SECONDS_PER_DIGIT + count(SIGNS) * SECONDS_PER_SIGN
  return seconds / speed
}
