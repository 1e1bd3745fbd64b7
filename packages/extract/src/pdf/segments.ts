import type { Block } from '../document/block.ts'
import type { Word } from './read-words.ts'

export type TableBlock = Extract<Block, { kind: 'table' }>

export type DrawnTable = { readonly block: TableBlock; readonly words: readonly Word[] }

/** Words on one baseline without a wide gap between them. */
export type Segment = {
  readonly words: readonly Word[]
  readonly left: number
  readonly right: number
  readonly baseline: number
  readonly size: number
  /** Its place in the order in which the page draws. */
  readonly drawn: number
  /** A table in place of its words. */
  readonly table?: DrawnTable
}
/** Segments next to each other, from left to right. */
export type Row = readonly Segment[]

/** Gaps wider than this, in font sizes, separate columns. */
const MAX_GAP = 1.2
/** Words drawn out of order are joined over a space this wide. */
const MAX_SPACE = 0.6

/** Words that follow each other on a line, in the order in which the page draws them. */
export function toSegments(words: readonly Word[]): Segment[] {
  const groups: Word[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    const previous = group?.at(-1)
    if (group && previous && isNext(previous, word, MAX_GAP)) group.push(word)
    else groups.push([word])
  }
  return joinNeighbours(groups.map((group, at) => toSegment(group, at)))
}

function isNext(one: Word, other: Word, maxGap: number): boolean {
  const size = Math.max(one.size, other.size)
  const gap = other.left - one.right
  return Math.abs(one.baseline - other.baseline) < 0.5 * size && gap < maxGap * size && gap > -0.5 * size
}

export function toSegment(words: readonly Word[], drawn: number): Segment {
  const main = words.reduce((best, word) => (word.text.length > best.text.length ? word : best))
  return {
    words,
    left: words.reduce((min, { left }) => Math.min(min, left), main.left),
    right: words.reduce((max, { right }) => Math.max(max, right), main.right),
    baseline: main.baseline,
    size: main.size,
    drawn,
  }
}

/** Joins segments of one line that the page draws apart. */
function joinNeighbours(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = []
  for (const row of toRows(segments)) {
    let open: Segment | undefined
    for (const segment of row) {
      const [last, first] = [open?.words.at(-1), segment.words[0]]
      if (open && last && first && isNext(last, first, MAX_SPACE))
        open = toSegment([...open.words, ...segment.words], open.drawn)
      else {
        if (open) joined.push(open)
        open = segment
      }
    }
    if (open) joined.push(open)
  }
  return joined
}

/** Segments whose baselines agree, from top to bottom. */
export function toRows(segments: readonly Segment[]): Row[] {
  const sorted = segments.toSorted((one, other) => one.baseline - other.baseline || one.left - other.left)
  const rows: Segment[][] = []
  for (const segment of sorted) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (row && first && segment.baseline - first.baseline < 0.4 * Math.min(first.size, segment.size))
      row.push(segment)
    else rows.push([segment])
  }
  return rows.map((row) => row.sort((one, other) => one.left - other.left))
}
