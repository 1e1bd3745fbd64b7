import { type Components, findComponents, forEachBorder } from './components.ts'
import type { LabelMap } from './label-map.ts'

/** For each speck, the component across each cell side of its border, stored consecutively. */
type Neighbours = { readonly starts: Int32Array; readonly numbers: Int32Array }

/**
 * Merges every component below an area into the neighbour with which it shares most of its border, smallest
 * first.
 * @param minArea in cells
 */
export function removeSpecks(map: LabelMap, minArea: number): LabelMap {
  const components = findComponents(map)
  const { areas } = components
  const specks = [...areas.keys()].filter((number) => (areas[number] ?? 0) < minArea)
  if (specks.length === 0 || specks.length === areas.length) return map
  specks.sort((one, other) => (areas[one] ?? 0) - (areas[other] ?? 0))
  const neighbours = findNeighbours(components, map.width, minArea)
  const goesTo = Int32Array.from(areas.keys())
  // Linked list of the specks merged into each component.
  const next = new Int32Array(areas.length).fill(-1)
  const last = Int32Array.from(areas.keys())
  for (const speck of specks) {
    if ((areas[speck] ?? 0) >= minArea) continue
    const into = findClosest(speck, neighbours, next, goesTo)
    if (into < 0) continue
    goesTo[speck] = into
    areas[into] = (areas[into] ?? 0) + (areas[speck] ?? 0)
    next[last[into] ?? into] = speck
    last[into] = last[speck] ?? speck
  }
  const byNumber = components.labels.map((_, number) => components.labels[follow(goesTo, number)] ?? 0)
  const labels = new Uint8Array(components.of.length)
  for (let at = 0; at < labels.length; at++) labels[at] = byNumber[components.of[at] ?? 0] ?? 0
  return { ...map, labels }
}

function findNeighbours(components: Components, width: number, minArea: number): Neighbours {
  const { areas } = components
  const originals = areas.slice()
  const isSpeck = (number: number) => (originals[number] ?? 0) < minArea
  const starts = new Int32Array(areas.length + 1)
  forEachBorder(components, width, (one, other) => {
    if (isSpeck(one)) starts[one + 1] = (starts[one + 1] ?? 0) + 1
    if (isSpeck(other)) starts[other + 1] = (starts[other + 1] ?? 0) + 1
  })
  for (let at = 1; at < starts.length; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
  const numbers = new Int32Array(starts.at(-1) ?? 0)
  const filled = starts.slice()
  const note = (one: number, other: number) => {
    if (!isSpeck(one)) return
    numbers[filled[one] ?? 0] = other
    filled[one] = (filled[one] ?? 0) + 1
  }
  forEachBorder(components, width, (one, other) => {
    note(one, other)
    note(other, one)
  })
  return { starts, numbers }
}

/**
 * The component with which a speck, including everything merged into it, shares most of its border; -1 if
 * there is none.
 */
function findClosest(
  speck: number,
  { starts, numbers }: Neighbours,
  next: Int32Array,
  goesTo: Int32Array,
): number {
  const shared = new Map<number, number>()
  for (let member = speck; member >= 0; member = next[member] ?? -1)
    for (let at = starts[member] ?? 0; at < (starts[member + 1] ?? 0); at++) {
      const other = follow(goesTo, numbers[at] ?? 0)
      if (other !== speck) shared.set(other, (shared.get(other) ?? 0) + 1)
    }
  let [best, max] = [-1, 0]
  for (const [other, length] of shared) if (length > max) [best, max] = [other, length]
  return best
}

/** The component into which another was finally merged; compresses the path. */
function follow(goesTo: Int32Array, number: number): number {
  let end = number
  while ((goesTo[end] ?? end) !== end) end = goesTo[end] ?? end
  for (let at = number; at !== end; ) {
    const following = goesTo[at] ?? end
    goesTo[at] = end
    at = following
  }
  return end
}
