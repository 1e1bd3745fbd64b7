import type { Mask } from '../trace/outline.ts'
import { type Components, findComponents, findRoot, forEachBorder, unite } from './components.ts'
import type { LabelMap } from './label-map.ts'

/** The area of a colour, extended under colours that are painted later. */
export type LayerMask = {
  readonly label: number
  readonly mask: Mask
  /** Upper left corner of the mask, in cells. */
  readonly left: number
  readonly top: number
}

/** Rank of a colour that is never painted. */
const NEVER = -1

/**
 * Yields the areas in painting order, largest colour first. Each extends one pixel under its later
 * neighbours, so that no gaps show, and completely under what it surrounds.
 * @param clear label that is never painted; -1 if there is none
 */
export function* layerMasks(map: LabelMap, clear: number): Generator<LayerMask> {
  const components = findComponents(map)
  const order = orderLabels(components, clear)
  const ranks = Int32Array.from(components.labels, (label) => order.indexOf(label))
  const surrounding = findSurrounding(components, map.width, ranks, order.length)
  const [isIn, isLater] = [new Uint8Array(ranks.length), new Uint8Array(ranks.length)]
  for (const [rank, label] of order.entries()) {
    const isUnder = surrounding[rank] ?? new Uint8Array()
    // Plain loops: with 255 colours and 100,000 components, `from` with a function takes 20 s.
    for (let number = 0; number < ranks.length; number++) {
      const own = ranks[number] ?? NEVER
      isIn[number] = own === rank || isUnder[number] === 1 ? 1 : 0
      isLater[number] = own > rank ? 1 : 0
    }
    const cut = cutOut(map, components, isIn)
    if (!cut) continue
    yield { label, ...growUnder(map, components, cut, isLater) }
  }
}

function orderLabels({ labels, areas }: Components, clear: number): number[] {
  const totals = new Map<number, number>()
  for (const [number, label] of labels.entries())
    totals.set(label, (totals.get(label) ?? 0) + (areas[number] ?? 0))
  totals.delete(clear)
  return [...totals].sort(([, one], [, other]) => other - one).map(([label]) => label)
}

/** For each rank, marks the components of later ranks that it surrounds, by component number. */
function findSurrounding(
  components: Components,
  width: number,
  ranks: Int32Array,
  count: number,
): Uint8Array[] {
  const size = ranks.length
  const neighbours = Array.from({ length: size }, () => new Set<number>())
  forEachBorder(components, width, (one, other) => {
    neighbours[one]?.add(other)
    neighbours[other]?.add(one)
  })
  const byRank = Array.from({ length: count }, (): number[] => [])
  ranks.forEach((rank, number) => {
    if (rank !== NEVER) byRank[rank]?.push(number)
  })
  const parents = Int32Array.from(ranks.keys())
  // The lowest rank that touches each set.
  const earliest = Int32Array.from(ranks)
  const active: number[] = []
  const marks: Uint8Array[] = new Array(count)
  for (let rank = count - 1; rank >= 0; rank--) {
    const mark = new Uint8Array(size)
    for (const number of active) if (earliest[findRoot(parents, number)] === rank) mark[number] = 1
    marks[rank] = mark
    for (const number of byRank[rank] ?? []) {
      active.push(number)
      for (const other of neighbours[number] ?? []) {
        const low = Math.min(earliest[findRoot(parents, number)] ?? 0, ranks[other] ?? NEVER)
        if ((ranks[other] ?? NEVER) < rank) earliest[findRoot(parents, number)] = low
        else {
          const lowest = Math.min(low, earliest[findRoot(parents, other)] ?? 0)
          unite(parents, number, other)
          earliest[findRoot(parents, number)] = lowest
        }
      }
    }
  }
  return marks
}

type Cut = Pick<LayerMask, 'mask' | 'left' | 'top'>

/** The mask of some components, with a margin for growing; null if they have no cells. */
function cutOut({ width, height, scale }: LabelMap, { of }: Components, isIn: Uint8Array): Cut | null {
  let [left, right, top, bottom] = [width, -1, -1, -1]
  for (let y = 0; y < height; y++) {
    let [first, last] = [0, width - 1]
    while (first < width && isIn[of[y * width + first] ?? 0] === 0) first += 1
    if (first === width) continue
    while (isIn[of[y * width + last] ?? 0] === 0) last -= 1
    left = Math.min(left, first)
    right = Math.max(right, last)
    if (top < 0) top = y
    bottom = y
  }
  if (right < 0) return null
  left = Math.max(0, left - scale)
  top = Math.max(0, top - scale)
  const mask = {
    width: Math.min(width, right + 1 + scale) - left,
    height: Math.min(height, bottom + 1 + scale) - top,
  }
  const cells = new Uint8Array(mask.width * mask.height)
  for (let y = 0; y < mask.height; y++)
    for (let x = 0; x < mask.width; x++)
      cells[y * mask.width + x] = isIn[of[(y + top) * width + x + left] ?? 0] ?? 0
  return { mask: { ...mask, cells }, left, top }
}

/** Grows a mask by one pixel into areas that are painted later. */
function growUnder(map: LabelMap, { of }: Components, cut: Cut, isLater: Uint8Array): Cut {
  const { mask, left, top } = cut
  const { width, height, cells } = mask
  const grown: number[] = []
  const growAround = (at: number) => {
    const x = at % width
    if (x > 0 && cells[at - 1] === 0) take(at - 1)
    if (x + 1 < width && cells[at + 1] === 0) take(at + 1)
    if (at >= width && cells[at - width] === 0) take(at - width)
    if (at + width < cells.length && cells[at + width] === 0) take(at + width)
  }
  const take = (at: number) => {
    const row = Math.floor(at / width)
    if (isLater[of[(row + top) * map.width + (at - row * width) + left] ?? 0] !== 1) return
    cells[at] = 2
    grown.push(at)
  }
  for (let y = 0; y < height; y++)
    for (let at = y * width; at < (y + 1) * width; at++) {
      if (cells[at] !== 1) continue
      const isInner =
        cells[at - 1] === 1 && cells[at + 1] === 1 && cells[at - width] === 1 && cells[at + width] === 1
      if (!isInner) growAround(at)
    }
  for (let step = 1, begin = 0; step < map.scale; step++) {
    const end = grown.length
    for (; begin < end; begin++) growAround(grown[begin] ?? 0)
  }
  for (const at of grown) cells[at] = 1
  return cut
}
