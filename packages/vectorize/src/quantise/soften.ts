import type { Samples } from './samples.ts'

/** Reduces the noise of a photo with a 1 2 1 blur in both directions. */
export function soften(samples: Samples): Samples {
  const { width, height, values } = samples
  const across = new Uint8Array(values.length)
  const stride = 4 * width
  for (let row = 0; row < values.length; row += stride)
    for (let at = row; at < row + stride; at++) {
      const before = at - 4 >= row ? at - 4 : at
      const after = at + 4 < row + stride ? at + 4 : at
      across[at] = ((values[before] ?? 0) + 2 * (values[at] ?? 0) + (values[after] ?? 0) + 2) >> 2
    }
  const soft = new Uint8Array(values.length)
  for (let at = 0; at < values.length; at++) {
    const above = at >= stride ? at - stride : at
    const below = at + stride < values.length ? at + stride : at
    soft[at] = ((across[above] ?? 0) + 2 * (across[at] ?? 0) + (across[below] ?? 0) + 2) >> 2
  }
  return { width, height, values: soft }
}
