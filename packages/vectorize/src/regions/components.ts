import type { LabelMap } from './label-map.ts'

/** Connected components of cells with one label. */
export type Components = {
  readonly of: Int32Array
  /** By component number. */
  readonly labels: Uint8Array
  /** By component number, in cells. */
  readonly areas: Float64Array
}

/** Finds 4-connected components: cells connect by their sides, not by corners. */
export function findComponents({ width, height, labels }: LabelMap): Components {
  const parents: number[] = []
  const of = new Int32Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const label = labels[at]
      const left = x > 0 && labels[at - 1] === label ? (of[at - 1] ?? 0) : -1
      const above = y > 0 && labels[at - width] === label ? (of[at - width] ?? 0) : -1
      if (left < 0 && above < 0) {
        of[at] = parents.length
        parents.push(parents.length)
      } else {
        of[at] = left >= 0 ? left : above
        if (left >= 0 && above >= 0 && left !== above) unite(parents, left, above)
      }
    }
  }
  const numbers = new Int32Array(parents.length)
  let count = 0
  for (let at = 0; at < parents.length; at++) {
    // A root has a lower index than its members.
    const root = findRoot(parents, at)
    numbers[at] = root === at ? count++ : (numbers[root] ?? 0)
  }
  const result = { of, labels: new Uint8Array(count), areas: new Float64Array(count) }
  for (let at = 0; at < of.length; at++) {
    const number = numbers[of[at] ?? 0] ?? 0
    of[at] = number
    result.labels[number] = labels[at] ?? 0
    result.areas[number] = (result.areas[number] ?? 0) + 1
  }
  return result
}

/** The root of a set in a union-find forest; compresses the path. */
export function findRoot(parents: number[] | Int32Array, member: number): number {
  let root = member
  while (parents[root] !== root) root = parents[root] ?? root
  let at = member
  while (parents[at] !== root) {
    const next = parents[at] ?? root
    parents[at] = root
    at = next
  }
  return root
}

/** Unites two sets; the lower root becomes the root of both. */
export function unite(parents: number[] | Int32Array, one: number, other: number): void {
  const [first, second] = [findRoot(parents, one), findRoot(parents, other)]
  parents[Math.max(first, second)] = Math.min(first, second)
}

/** Calls `visit` for each pair of adjacent cells that belong to different components. */
export function forEachBorder(
  { of }: Pick<Components, 'of'>,
  width: number,
  visit: (one: number, other: number) => void,
): void {
  for (let row = 0; row < of.length; row += width) {
    const isLast = row + width === of.length
    for (let at = row; at < row + width; at++) {
      const own = of[at] ?? 0
      const right = at + 1 < row + width ? (of[at + 1] ?? 0) : own
      if (right !== own) visit(own, right)
      const below = isLast ? own : (of[at + width] ?? 0)
      if (below !== own) visit(own, below)
    }
  }
}
