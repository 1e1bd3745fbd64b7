import type { Area } from './gray-image.ts'

/** Pixels of a mask that touch each other along a side or a corner. */
export type Speck = Area & { readonly pixels: number }

/** A mask has 1 for each pixel that belongs to something. */
export type Mask = { readonly pixels: Uint8Array; readonly width: number; readonly height: number }

/** The connected parts of a mask, in the order of their first pixels. */
export function findSpecks({ pixels, width, height }: Mask): Speck[] {
  const parents: number[] = []
  const runs: Area[] = []
  const find = (run: number): number => {
    let root = run
    while (parents[root] !== root) root = parents[root] ?? 0
    parents[run] = root
    return root
  }
  /** Runs of the row above: start, end and number. */
  let above: [number, number, number][] = []
  for (let y = 0; y < height; y += 1) {
    const row: [number, number, number][] = []
    let from = 0
    for (let x = 0; x < width; x += 1) {
      if (pixels[y * width + x] !== 1) continue
      const start = x
      while (x < width && pixels[y * width + x] === 1) x += 1
      const run = parents.push(parents.length) - 1
      runs.push({ left: start, top: y, right: x, bottom: y + 1 })
      row.push([start, x, run])
      // Runs above that end before this one cannot touch the next.
      while (from < above.length && (above[from]?.[1] ?? 0) < start) from += 1
      for (let at = from; at < above.length && (above[at]?.[0] ?? 0) <= x; at += 1) {
        const [one, other] = [find(run), find(above[at]?.[2] ?? 0)]
        parents[Math.max(one, other)] = Math.min(one, other)
      }
    }
    above = row
  }
  const specks = new Map<number, { -readonly [Key in keyof Speck]: Speck[Key] }>()
  for (const [at, run] of runs.entries()) {
    const speck = specks.get(find(at))
    if (!speck) specks.set(find(at), { ...run, pixels: run.right - run.left })
    else {
      speck.left = Math.min(speck.left, run.left)
      speck.right = Math.max(speck.right, run.right)
      speck.bottom = Math.max(speck.bottom, run.bottom)
      speck.pixels += run.right - run.left
    }
  }
  return [...specks.values()]
}
