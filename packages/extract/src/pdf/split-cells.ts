import { isLeftward } from './direction.ts'
import type { Word } from './read-words.ts'
import { type Row, type Segment, toSegment } from './segments.ts'

/**
 * Whether the page draws the spaces between words. If it does, words without one between them are in different
 * cells, however near they are.
 */
export type Spacing = 'drawn' | 'placed'

/** Gaps between the words of a cell, in font sizes, where spaces are drawn and where they are not. */
const MAX_DRAWN_GAP = 0.15
const MAX_PLACED_GAP = 1.2
/** A gap that may be a space, in font sizes. */
const MIN_SPACE = 0.12
const MAX_SPACE = 0.6

export function spacingOf(segments: Iterable<Segment>): Spacing {
  let [drawn, placed] = [0, 0]
  for (const { words } of segments)
    for (const [at, word] of words.entries()) {
      const previous = words[at - 1]
      const gap = previous ? (word.left - previous.right) / word.size : 0
      if (gap < MIN_SPACE || gap > MAX_SPACE) continue
      if (previous && hasSpace(previous, word)) drawn += 1
      else placed += 1
    }
  return drawn > placed ? 'drawn' : 'placed'
}

/** The parts of a row that can be cells of a table, from left to right. */
export function splitCells(row: Row, spacing: Spacing, maxPlacedGap = MAX_PLACED_GAP): Segment[] {
  const words = row.flatMap((segment) => segment.words).sort((one, other) => one.left - other.left)
  const groups: Word[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    const previous = group?.at(-1)
    if (group && previous && !isApart(previous, word, spacing, maxPlacedGap)) group.push(word)
    else groups.push([word])
  }
  const drawn = row[0]?.drawn ?? 0
  return groups.map((group) => toSegment(group, drawn))
}

function isApart(one: Word, other: Word, spacing: Spacing, maxPlacedGap: number): boolean {
  const size = Math.max(one.size, other.size)
  const gap = other.left - one.right
  if (gap > MAX_PLACED_GAP * size) return true
  if (spacing === 'drawn') return !hasSpace(one, other) && gap > MAX_DRAWN_GAP * size
  return gap > maxPlacedGap * size
}

/** Whether the page draws a space between two words; in text that runs to the left, the right one is drawn first. */
function hasSpace(one: Word, other: Word): boolean {
  return other.isSpaced || (one.isSpaced && isLeftward(one.text))
}
