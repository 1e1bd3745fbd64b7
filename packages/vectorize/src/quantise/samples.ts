import type { Bitmap } from '../image.ts'

/**
 * The pixels of an image as four numbers each, 0 to 255: red, green and blue premultiplied by opacity, and
 * opacity. In this space a pixel on a border lies on the straight line between the colours of its two sides,
 * even if one of them is transparent.
 */
export type Samples = { readonly width: number; readonly height: number; readonly values: Uint8Array }

/** A colour in the space of samples. */
export type Sample = readonly [red: number, green: number, blue: number, opacity: number]

export const CLEAR: Sample = [0, 0, 0, 0]

export function toSamples({ width, height, rgba }: Bitmap): Samples {
  const values = new Uint8Array(rgba)
  for (let at = 0; at < values.length; at += 4) {
    const alpha = rgba[at + 3] ?? 255
    if (alpha === 255) continue
    for (let channel = 0; channel < 3; channel++)
      values[at + channel] = Math.round(((rgba[at + channel] ?? 0) * alpha) / 255)
  }
  return { width, height, values }
}

/** Squared distance between a colour and the pixel whose first value is at index `at`. */
export function distanceTo(values: ArrayLike<number>, at: number, colour: Sample): number {
  const red = (values[at] ?? 0) - colour[0]
  const green = (values[at + 1] ?? 0) - colour[1]
  const blue = (values[at + 2] ?? 0) - colour[2]
  const opacity = (values[at + 3] ?? 0) - colour[3]
  return red * red + green * green + blue * blue + opacity * opacity
}

/** The palette colour nearest to the pixel whose first value is at index `at`; the distance is squared. */
export function nearestTo(values: ArrayLike<number>, at: number, palette: readonly Sample[]) {
  let [index, distance] = [0, Number.POSITIVE_INFINITY]
  for (let candidate = 0; candidate < palette.length; candidate++) {
    const square = distanceTo(values, at, palette[candidate] ?? CLEAR)
    if (square < distance) [distance, index] = [square, candidate]
  }
  return { index, distance }
}

export function distanceBetween(one: Sample, other: Sample): number {
  return (
    (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2 + (one[3] - other[3]) ** 2
  )
}

/** Luma, as JPEG computes it (ITU-T T.871, section 7). */
export function brightnessOf([red, green, blue]: Sample): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue
}
