import { type Box, MAX_RULE } from './read-shapes.ts'

/** Cells that lines or backgrounds enclose, and that touch each other. */
export type CellGroup = { readonly cells: readonly Box[] }

type Edge = { readonly at: number; readonly from: number; readonly to: number }

/** Edges closer than this, in points, are one: both sides of a line, and cells with a space between them. */
const MAX_SNAP = 3
const MAX_LINES = 400

/** Groups of touching cells. A cell may span columns and rows. */
export function findCells(boxes: readonly Box[]): CellGroup[] {
  const across: Edge[] = []
  const down: Edge[] = []
  for (const { left, right, top, bottom } of boxes) {
    const [isThin, isFlat] = [right - left <= MAX_RULE, bottom - top <= MAX_RULE]
    if (isThin && isFlat) continue
    if (isFlat) across.push({ at: (top + bottom) / 2, from: left, to: right })
    else if (isThin) down.push({ at: (left + right) / 2, from: top, to: bottom })
    else {
      for (const at of [top, bottom]) across.push({ at, from: left, to: right })
      for (const at of [left, right]) down.push({ at, from: top, to: bottom })
    }
  }
  const [xs, ys] = [snap(down), snap(across)]
  if (xs.length < 2 || ys.length < 2 || xs.length > MAX_LINES || ys.length > MAX_LINES) return []
  const grid = new Grid(xs, ys)
  for (const edge of across) grid.addAcross(edge)
  for (const edge of down) grid.addDown(edge)
  return groupCells(grid.cells())
}

/** The middle of each group of edges at nearly the same place, in order. */
function snap(edges: readonly Edge[]): number[] {
  const sorted = edges.map(({ at }) => at).sort((one, other) => one - other)
  const groups: { first: number; last: number }[] = []
  for (const at of sorted) {
    const group = groups.at(-1)
    if (group && at - group.last <= MAX_SNAP && at - group.first <= 2 * MAX_SNAP) group.last = at
    else groups.push({ first: at, last: at })
  }
  return groups.map(({ first, last }) => (first + last) / 2)
}

/** Squares between all lines of a page; a line may be missing between two of them. */
class Grid {
  readonly #xs: readonly number[]
  readonly #ys: readonly number[]
  readonly #across: Uint8Array
  readonly #down: Uint8Array

  constructor(xs: readonly number[], ys: readonly number[]) {
    this.#xs = xs
    this.#ys = ys
    this.#across = new Uint8Array(xs.length * ys.length)
    this.#down = new Uint8Array(xs.length * ys.length)
  }

  addAcross({ at, from, to }: Edge): void {
    const y = nearest(this.#ys, at)
    this.#mark(this.#xs, { from, to }, (x) => {
      this.#across[y * this.#xs.length + x] = 1
    })
  }

  addDown({ at, from, to }: Edge): void {
    const x = nearest(this.#xs, at)
    this.#mark(this.#ys, { from, to }, (y) => {
      this.#down[y * this.#xs.length + x] = 1
    })
  }

  #mark(lines: readonly number[], { from, to }: { from: number; to: number }, set: (at: number) => void) {
    const [first, last] = [nearest(lines, from), nearest(lines, to)]
    // A line that begins or ends within a square does not close it.
    const start = from > (lines[first] ?? 0) + MAX_SNAP ? first + 1 : first
    const end = to < (lines[last] ?? 0) - MAX_SNAP ? last - 1 : last
    for (let at = start; at < end; at += 1) set(at)
  }

  /** Rectangles of squares without lines between them, and with lines all around them. */
  cells(): Box[] {
    const [width, height] = [this.#xs.length - 1, this.#ys.length - 1]
    const seen = new Uint8Array(width * height)
    const cells: Box[] = []
    for (let start = 0; start < seen.length; start += 1) {
      if (seen[start]) continue
      const cell = this.#fill(start, seen)
      if (cell) cells.push(cell)
    }
    return cells
  }

  #fill(start: number, seen: Uint8Array): Box | null {
    const [columns, width] = [this.#xs.length, this.#xs.length - 1]
    const height = this.#ys.length - 1
    const waiting = [start]
    seen[start] = 1
    let [left, right, top, bottom, count] = [width, 0, height, 0, 0]
    let isOpen = false
    const visit = (x: number, y: number) => {
      if (x < 0 || y < 0 || x >= width || y >= height) isOpen = true
      else if (!seen[y * width + x]) {
        seen[y * width + x] = 1
        waiting.push(y * width + x)
      }
    }
    for (let square = waiting.pop(); square !== undefined; square = waiting.pop()) {
      const [x, y] = [square % width, Math.floor(square / width)]
      count += 1
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
      if (!this.#across[y * columns + x]) visit(x, y - 1)
      if (!this.#across[(y + 1) * columns + x]) visit(x, y + 1)
      if (!this.#down[y * columns + x]) visit(x - 1, y)
      if (!this.#down[y * columns + x + 1]) visit(x + 1, y)
    }
    if (isOpen || count !== (right - left + 1) * (bottom - top + 1)) return null
    const { [left]: x0 = 0, [right + 1]: x1 = 0 } = this.#xs
    const { [top]: y0 = 0, [bottom + 1]: y1 = 0 } = this.#ys
    return { left: x0, right: x1, top: y0, bottom: y1 }
  }
}

function nearest(lines: readonly number[], at: number): number {
  let [low, high] = [0, lines.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low > 0 && at - (lines[low - 1] ?? 0) < (lines[low] ?? 0) - at ? low - 1 : low
}

/** Cells that share a corner belong together. */
function groupCells(cells: readonly Box[]): CellGroup[] {
  const groups = new Map<number, Box[]>()
  const ofCorner = new Map<string, number>()
  for (const [at, cell] of cells.entries()) {
    const corners = [
      `${cell.left} ${cell.top}`,
      `${cell.right} ${cell.top}`,
      `${cell.left} ${cell.bottom}`,
      `${cell.right} ${cell.bottom}`,
    ]
    const near = [...new Set(corners.flatMap((corner) => ofCorner.get(corner) ?? []))]
    const [first = at, ...others] = near
    const group = groups.get(first) ?? []
    group.push(cell)
    for (const other of others) {
      for (const each of groups.get(other) ?? []) group.push(each)
      groups.delete(other)
    }
    groups.set(first, group)
    for (const each of others.length > 0 ? group : [cell])
      for (const [x, y] of [
        [each.left, each.top],
        [each.right, each.top],
        [each.left, each.bottom],
        [each.right, each.bottom],
      ])
        ofCorner.set(`${x} ${y}`, first)
  }
  return [...groups.values()].map((group) => ({ cells: group }))
}
