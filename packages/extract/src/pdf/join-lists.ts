import type { Block } from '../document/block.ts'
import type { Row } from './segments.ts'
import { toInlines, wordsOf } from './to-inlines.ts'

/** Adjacent items, and the column in which they stand, from its left edge. */
export type ListItem = { readonly rows: readonly Row[]; readonly columnLeft: number }

type Item = { readonly rows: readonly Row[]; readonly lists: List[] }
type List = { readonly left: number; readonly start: number | null; readonly items: Item[] }

export const BULLET = /^[•‣◦▪●○■□∙·⁃–*\uF0B7\uF0A7\uF0D8-]$/u
/** Items whose text begins further right than this, in font sizes, belong to the item before them. */
const MIN_DEPTH = 0.7
/** Left edges of columns differ by more than this, in points. */
const MIN_COLUMN = 100

/** The number of an item; null for a bullet, NaN for a letter, of which Markdown has no lists. */
export function startOf(rows: readonly Row[]): number | null {
  const marker = wordsOf(rows[0] ?? [])[0]?.text ?? ''
  return BULLET.test(marker) ? null : Number(/\d+/.exec(marker)?.[0] ?? Number.NaN)
}

/** The lists that items make, by where their text begins. */
export function joinLists(items: readonly ListItem[]): Block[] {
  const top: List[] = []
  const open: List[] = []
  const [{ columnLeft: firstLeft } = { columnLeft: 0 }] = items
  for (const { rows, columnLeft } of items) {
    const text = wordsOf(rows[0] ?? [])[1]
    const shift = Math.abs(columnLeft - firstLeft) > MIN_COLUMN ? columnLeft - firstLeft : 0
    const left = (text?.left ?? 0) - shift
    const tolerance = MIN_DEPTH * (text?.size ?? 1)
    while (open.length > 0 && (open.at(-1)?.left ?? 0) > left + tolerance) open.pop()
    const start = startOf(rows)
    const last = open.at(-1)
    const item: Item = { rows, lists: [] }
    const isSame = last !== undefined && left <= last.left + tolerance
    if (isSame && (last.start === null) === (start === null)) last.items.push(item)
    else {
      if (isSame) open.pop()
      const list: List = { left, start, items: [item] }
      const parent = open.at(-1)?.items.at(-1)
      const siblings = parent ? parent.lists : top
      siblings.push(list)
      open.push(list)
    }
  }
  return top.map(toBlock)
}

function toBlock({ start, items }: List): Block {
  return {
    kind: 'list',
    start,
    isTight: true,
    items: items.map(({ rows, lists }): Block[] => [
      { kind: 'paragraph', content: toInlines(rows, 1) },
      ...lists.map(toBlock),
    ]),
  }
}
