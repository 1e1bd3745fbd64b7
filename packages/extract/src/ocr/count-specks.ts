import type { GrayImage } from './gray-image.ts'

const MIDDLE = 128

/** Counts the dark areas of an image that touch no other along a side: a letter is one or two, an `i` two. */
export function countSpecks({ pixels, width, height }: GrayImage): number {
  let count = 0
  /** The area of each dark pixel of the row above and of this one; 0 is none. */
  let above = new Uint32Array(width)
  let row = new Uint32Array(width)
  const joined: number[] = [0]
  const find = (area: number): number => {
    let root = area
    while (joined[root] !== root) root = joined[root] ?? 0
    joined[area] = root
    return root
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((pixels[y * width + x] ?? MIDDLE) >= MIDDLE) {
        row[x] = 0
        continue
      }
      const left = x > 0 ? (row[x - 1] ?? 0) : 0
      const up = above[x] ?? 0
      if (left === 0 && up === 0) {
        count += 1
        row[x] = joined.push(joined.length) - 1
      } else if (left === 0 || up === 0) row[x] = left || up
      else {
        const [one, other] = [find(left), find(up)]
        if (one !== other) {
          count -= 1
          joined[Math.max(one, other)] = Math.min(one, other)
        }
        row[x] = Math.min(one, other)
      }
    }
    const last = above
    above = row
    row = last
  }
  return count
}
