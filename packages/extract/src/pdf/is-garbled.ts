import type { Word } from './read-words.ts'

/** Percentages of letters in English, near enough to those of other languages of Europe in Latin letters. */
const USUAL: Readonly<Record<string, number>> = {
  a: 8.2,
  b: 1.5,
  c: 2.8,
  d: 4.3,
  e: 12.7,
  f: 2.2,
  g: 2,
  h: 6.1,
  i: 7,
  j: 0.2,
  k: 0.8,
  l: 4,
  m: 2.4,
  n: 6.7,
  o: 7.5,
  p: 1.9,
  q: 0.1,
  r: 6,
  s: 6.3,
  t: 9.1,
  u: 2.8,
  v: 1,
  w: 2.4,
  x: 0.2,
  y: 2,
  z: 0.1,
}
/**
 * Fonts without a map show the numbers of their glyphs: in TrueType's usual order the space is 3 and `A` is 36, in
 * that of CFF they are 1 and 34. Added to these, the numbers are characters of ASCII.
 */
const SHIFTS = [29, 31]
/** Text with fewer characters is not judged. */
const MIN_CHARS = 40
/** The mean percentage of a letter: some 6.5 in text, some 3.8 if the letters are others. */
const MIN_USUAL = 5
const MIN_RATIO = 1.3
/** Share of letters among the characters of text. */
const MIN_LETTERS = 0.6
/** Share of characters that a font does not map. */
const MAX_UNMAPPED = 0.5

/** Whether the words of a page are not those that it shows, since its fonts have no maps, or wrong ones. */
export function isGarbled(words: readonly Word[], unmappedShare: number): boolean {
  const text = words.map((word) => word.text).join('')
  if (text.length < MIN_CHARS) return false
  const found = measure(text)
  if (unmappedShare > MAX_UNMAPPED && (found.usual < MIN_USUAL || found.letters < MIN_LETTERS)) return true
  return SHIFTS.some((shift) => {
    const shifted = measure(
      text.replace(/[\0-^]/g, (char) => String.fromCharCode(char.charCodeAt(0) + shift)),
    )
    const isLikelier = shifted.usual > MIN_RATIO * found.usual && shifted.usual > MIN_USUAL
    return isLikelier && shifted.letters > MIN_LETTERS
  })
}

function measure(text: string): { readonly usual: number; readonly letters: number } {
  let [sum, count] = [0, 0]
  for (const char of text.toLowerCase().normalize('NFD')) {
    const usual = USUAL[char]
    if (usual === undefined) continue
    sum += usual
    count += 1
  }
  return { usual: count === 0 ? 0 : sum / count, letters: count / text.length }
}
