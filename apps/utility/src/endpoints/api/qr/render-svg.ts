import { type Colour, toHex, toWholeChannels } from '@tollbook/a11y/colour/colour'
import type { QrMatrix } from './qr-matrix.ts'

export type QrStyle = {
  /** Width and height in pixels. */
  readonly size: number
  /** Width of the quiet zone in modules. */
  readonly margin: number
  readonly dark: Colour
  readonly light: Colour
}

/** An SVG document with one unit per module: a background, unless it is transparent, and one path of the dark runs. */
export function renderSvg(matrix: QrMatrix, { size, margin, dark, light }: QrStyle): string {
  const side = matrix.modules + 2 * margin
  const background = light.alpha > 0 ? `<rect width="${side}" height="${side}" ${fill(light)}/>` : ''
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}"` +
    ` shape-rendering="crispEdges">${background}<path ${fill(dark)} d="${drawRuns(matrix, margin)}"/></svg>`
  )
}

function drawRuns({ rows }: QrMatrix, margin: number): string {
  const runs = rows.flatMap((row, y) =>
    darkRuns(row).map(([x, length]) => drawRun(x + margin, y + margin, length)),
  )
  return runs.join('')
}

function drawRun(x: number, y: number, length: number): string {
  return `M${x} ${y}h${length}v1h-${length}z`
}

/** Start and length of each run of dark modules in a row. */
function darkRuns(row: readonly boolean[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = []
  row.forEach((isDark, x) => {
    const last = runs.at(-1)
    if (!isDark) return
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  })
  return runs
}

/** Opacity is a separate attribute, since SVG 1.1 renderers do not support eight hex digits. */
function fill(colour: Colour): string {
  const opacity = colour.alpha < 1 ? ` fill-opacity="${Number(colour.alpha.toFixed(4))}"` : ''
  return `fill="${toHex(toWholeChannels({ ...colour, alpha: 1 }))}"${opacity}`
}
