import { Resvg } from '@resvg/resvg-js'
import { ICON_STYLES, outlineOf } from '@tollbook/utility/engines/icons/icon-outline'
import type { Bitmap } from '@tollbook/vectorize/image'

/**
 * Renders an SVG of this repository or of its packages, at the requested width, on white or on transparency.
 */
export function drawSvg(svg: string, width: number, background: string | null = '#fff'): Bitmap {
  const options = { fitTo: { mode: 'width' as const, value: width }, font: { loadSystemFonts: false } }
  const drawn = new Resvg(svg, { ...options, ...(background !== null && { background }) }).render()
  const rgba = new Uint8Array(drawn.pixels)
  // resvg returns colours premultiplied by alpha.
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0
    for (let channel = 0; alpha > 0 && alpha < 255 && channel < 3; channel++)
      rgba[at + channel] = Math.round(((rgba[at + channel] ?? 0) * 255) / alpha)
  }
  return { width: drawn.width, height: drawn.height, rgba }
}

/** Peak signal-to-noise ratio of two images of the same size over red, green and blue, dB; at most 60. */
export function psnr(one: Bitmap, other: Bitmap): number {
  let error = 0
  for (let at = 0; at < one.rgba.length; at++)
    if (at % 4 !== 3) error += ((one.rgba[at] ?? 0) - (other.rgba[at] ?? 0)) ** 2
  return Math.min(60, 10 * Math.log10(255 ** 2 / (error / (one.width * one.height * 3))))
}

/** The Font Awesome Free icon at `path`, such as `solid/bell`, as SVG. */
export function iconSvg(path: string): string {
  const style = ICON_STYLES.find((each) => path.startsWith(`${each}/`))
  const outline = style && outlineOf(path.slice(style.length + 1), style)
  if (!outline) throw new Error(`there is no icon ${path}`)
  const { width, height, path: shape } = outline
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><path fill="currentColor" d="${shape}"/></svg>`
}

/** A deterministic image like a photo: soft light, texture and grain. */
export function drawPhoto(width: number, height: number): Bitmap {
  const rgba = new Uint8Array(width * height * 4)
  const random = createRandom(20_261_121)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const light = 128 + 60 * Math.sin(x / 90 + Math.sin(y / 70)) + 40 * Math.cos(y / 50)
      const texture = ((x * 13 + y * 7) % 97) / 6
      const at = 4 * (y * width + x)
      rgba[at] = clamp(light + texture + 16 * random())
      rgba[at + 1] = clamp(200 - light / 2 + texture + 16 * random())
      rgba[at + 2] = clamp(90 + 50 * Math.sin((x + y) / 120) + 16 * random())
      rgba[at + 3] = 255
    }
  return { width, height, rgba }
}

const clamp = (value: number) => Math.min(255, Math.max(0, Math.round(value)))

/** Numbers from 0 to 1 by a linear congruential generator (the constants of ANSI C). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x80000000
  }
}
