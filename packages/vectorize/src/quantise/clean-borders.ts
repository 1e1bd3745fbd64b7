import { brightnessOf, distanceBetween, distanceTo, type Sample, type Samples } from './samples.ts'

/** Noise of JPEG around a colour; a pixel within this distance has only that colour. */
const PURE = 32
/** JPEG stores colours at half the resolution, so they are blurred over this many pixels next to a border. */
const REACH = 2
/** Below this difference of brightness, brightness does not tell the shares of two colours. */
const MIN_CONTRAST = 32

/**
 * Removes what JPEG adds to a drawing: noise inside areas, and wrong hues along borders. JPEG keeps brightness
 * better than hue, so a pixel between two colours gets the mixture of them that is as bright as it is.
 */
export function cleanBorders(samples: Samples, palette: readonly Sample[]): Samples {
  const { width, height } = samples
  const values = new Uint8Array(samples.values)
  const pure = findPure(samples.values, palette)
  for (let pixel = 0; pixel < pure.length; pixel++) {
    const own = palette[pure[pixel] ?? 255]
    const at = 4 * pixel
    const clean = own ?? mix(samples.values, at, coloursAround(pure, pixel, { width, height }, palette))
    if (clean) for (let channel = 0; channel < 4; channel++) values[at + channel] = clean[channel] ?? 0
  }
  return { width, height, values }
}

/** For each pixel the index of the palette colour that it has; 255 for none. */
function findPure(values: Uint8Array, palette: readonly Sample[]): Uint8Array {
  const pure = new Uint8Array(values.length / 4).fill(255)
  for (let pixel = 0; pixel < pure.length; pixel++) {
    let min = PURE * PURE
    for (const [index, colour] of palette.entries()) {
      const distance = distanceTo(values, 4 * pixel, colour)
      if (distance <= min) [min, pure[pixel]] = [distance, index]
    }
  }
  return pure
}

function coloursAround(
  pure: Uint8Array,
  pixel: number,
  { width, height }: Pick<Samples, 'width' | 'height'>,
  palette: readonly Sample[],
): readonly Sample[] {
  const [x, y] = [pixel % width, Math.floor(pixel / width)]
  const found = new Set<Sample>()
  for (let row = Math.max(0, y - REACH); row <= Math.min(height - 1, y + REACH); row++)
    for (let column = Math.max(0, x - REACH); column <= Math.min(width - 1, x + REACH); column++) {
      const colour = palette[pure[row * width + column] ?? 255]
      if (colour) found.add(colour)
    }
  return [...found]
}

/** The mixture of two of the colours that is as bright as the pixel, and nearest to it; null if there is none. */
function mix(values: Uint8Array, at: number, colours: readonly Sample[]): Sample | null {
  const pixel: Sample = [values[at] ?? 0, values[at + 1] ?? 0, values[at + 2] ?? 0, values[at + 3] ?? 0]
  let [best, min]: [Sample | null, number] = [null, Number.POSITIVE_INFINITY]
  for (const [index, one] of colours.entries())
    for (const other of colours.slice(index + 1)) {
      const contrast = brightnessOf(other) - brightnessOf(one)
      if (Math.abs(contrast) < MIN_CONTRAST) continue
      const share = Math.min(1, Math.max(0, (brightnessOf(pixel) - brightnessOf(one)) / contrast))
      const mixed = one.map((value, channel) => value + share * ((other[channel] ?? 0) - value))
      const colour: Sample = [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0, mixed[3] ?? 0]
      const distance = distanceBetween(colour, pixel)
      if (distance < min) [best, min] = [colour, distance]
    }
  return best
}
