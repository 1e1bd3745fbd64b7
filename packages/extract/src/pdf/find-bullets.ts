import type { Box } from './read-shapes.ts'
import type { Word } from './read-words.ts'

/** More small shapes than this are a drawing. */
const MAX_DOTS = 500
/** All in font sizes of the text next to the shape. */
const MAX_HEIGHT = 0.6
const MAX_GAP = 2.5
const MAX_LEFT_GAP = 3

/** Words, and a bullet for each small shape that stands before a line of them. */
export function addBullets(words: readonly Word[], dots: readonly Box[]): readonly Word[] {
  if (dots.length === 0 || dots.length > MAX_DOTS) return words
  const before = new Map<Word, Word>()
  for (const dot of dots) {
    const next = findNext(words, dot)
    if (!next || before.has(next) || /^[•‣◦▪●○■□]$/u.test(next.text)) continue
    before.set(next, { ...next, text: '•', left: dot.left, right: dot.right, href: null, isSpaced: false })
  }
  return words.flatMap((word) => {
    const bullet = before.get(word)
    return bullet ? [bullet, word] : [word]
  })
}

/** The first word to the right on the line of a shape; undefined if there is one to the left, too. */
function findNext(words: readonly Word[], { left, right, top, bottom }: Box): Word | undefined {
  const middle = (top + bottom) / 2
  let next: Word | undefined
  for (const word of words) {
    if (Math.abs(word.baseline - 0.3 * word.size - middle) > 0.35 * word.size) continue
    if (word.right < right && word.right > left - MAX_LEFT_GAP * word.size) return undefined
    if (word.left > right && word.left < (next?.left ?? right + MAX_GAP * word.size)) next = word
  }
  return next && bottom - top < MAX_HEIGHT * next.size ? next : undefined
}
