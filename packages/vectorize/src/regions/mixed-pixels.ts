import { CLEAR, nearestTo, type Sample, type Samples } from '../quantise/samples.ts'

/** For each pixel, the one or two palette colours that it consists of. */
export type MixedPixels = {
  readonly width: number
  readonly height: number
  /** Index of the colour that covers most of the pixel. */
  readonly main: Uint8Array
  /** Index of the other colour; equal to `main` if there is only one. */
  readonly other: Uint8Array
  /** Share of the pixel that `main` covers, 0.5 to 1. */
  readonly share: Float32Array
}

/** A pixel within this distance of a palette colour has only that colour. */
const PURE = 4
/** A pixel within this distance has mostly that colour, so it may be one side of a border. */
const SOLID = 20
/** A mixture within this distance explains a pixel. */
const EXPLAINED = 24

/** Finds the pixels that a border crosses, and the share of each side. */
export function findMixedPixels({ width, height, values }: Samples, palette: readonly Sample[]): MixedPixels {
  const count = width * height
  const main = new Uint8Array(count)
  const other = new Uint8Array(count)
  const share = new Float32Array(count).fill(1)
  const off = new Float32Array(count)
  for (let pixel = 0; pixel < count; pixel++) {
    const near = nearestTo(values, 4 * pixel, palette)
    main[pixel] = near.index
    off[pixel] = near.distance
  }
  other.set(main)
  const solid = Uint8Array.from(off, (distance) => (distance <= SOLID * SOLID ? 1 : 0))
  const sides = main.slice()
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const pixel = y * width + x
      if ((off[pixel] ?? 0) <= PURE * PURE || isInside(sides, solid, width, height, x, y)) continue
      const mixture = explain(values, 4 * pixel, palette, (radius) =>
        labelsAround(sides, solid, width, height, x, y, radius),
      )
      if (!mixture) continue
      const isFirst = mixture.share >= 0.5
      main[pixel] = isFirst ? mixture.one : mixture.two
      other[pixel] = isFirst ? mixture.two : mixture.one
      share[pixel] = isFirst ? mixture.share : 1 - mixture.share
    }
  }
  return { width, height, main, other, share }
}

/** Whether a pixel and its eight neighbours are solid and of one colour. */
function isInside(
  sides: Uint8Array,
  solid: Uint8Array,
  width: number,
  height: number,
  x: number,
  y: number,
): boolean {
  const own = sides[y * width + x]
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
      const at = row * width + column
      if (solid[at] !== 1 || sides[at] !== own) return false
    }
  return true
}

function labelsAround(
  sides: Uint8Array,
  solid: Uint8Array,
  width: number,
  height: number,
  x: number,
  y: number,
  radius: number,
): number[] {
  const labels: number[] = []
  for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row++)
    for (let column = Math.max(0, x - radius); column <= Math.min(width - 1, x + radius); column++) {
      const at = row * width + column
      const label = sides[at] ?? 0
      if (solid[at] === 1 && !labels.includes(label)) labels.push(label)
    }
  return labels
}

type Mixture = { readonly one: number; readonly two: number; readonly share: number; readonly off: number }

/** The best mixture of two nearby colours, else of a nearby colour with any other; null if none is close enough. */
function explain(
  values: Uint8Array,
  at: number,
  palette: readonly Sample[],
  around: (radius: number) => number[],
): Mixture | null {
  for (const radius of [1, 2, 3]) {
    const labels = around(radius)
    const best = bestMixture(values, at, palette, labels, labels)
    if (best && best.off <= EXPLAINED * EXPLAINED) return best
  }
  const all = palette.map((_, index) => index)
  const best = bestMixture(values, at, palette, around(2), all)
  return best && best.off <= EXPLAINED * EXPLAINED ? best : null
}

function bestMixture(
  values: Uint8Array,
  at: number,
  palette: readonly Sample[],
  ones: readonly number[],
  twos: readonly number[],
): Mixture | null {
  let best: Mixture | null = null
  for (const one of ones)
    for (const two of twos) {
      if (one === two) continue
      const mixture = mix(values, at, palette, one, two)
      if (!best || mixture.off < best.off) best = mixture
    }
  return best
}

/** The best mixture of two colours for a pixel. */
function mix(values: Uint8Array, at: number, palette: readonly Sample[], one: number, two: number): Mixture {
  const [from, to] = [palette[two] ?? CLEAR, palette[one] ?? CLEAR]
  let [along, length] = [0, 0]
  for (let channel = 0; channel < 4; channel++) {
    const way = (to[channel] ?? 0) - (from[channel] ?? 0)
    along += ((values[at + channel] ?? 0) - (from[channel] ?? 0)) * way
    length += way * way
  }
  const share = length > 0 ? Math.min(1, Math.max(0, along / length)) : 1
  let off = 0
  for (let channel = 0; channel < 4; channel++) {
    const mixed = (from[channel] ?? 0) + share * ((to[channel] ?? 0) - (from[channel] ?? 0))
    off += ((values[at + channel] ?? 0) - mixed) ** 2
  }
  return { one, two, share, off }
}
