import type { Contour, Drawing, Point, Rgb } from '../image.ts'

/** Writes a drawing as SVG 1.1: one path per layer, relative coordinates. */
export function writeSvg({ width, height, layers }: Drawing, scale: number): string {
  const paths = layers.map(
    ({ colour, contours }) =>
      `<path fill="${toHexColour(colour)}" d="${contours.map(writeContour).join('')}"/>`,
  )
  const size = `width="${shortNumber(width * scale)}" height="${shortNumber(height * scale)}"`
  const box = `viewBox="0 0 ${width} ${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${box}>${paths.join('')}</svg>`
}

export function toHexColour([red, green, blue]: Rgb): string {
  return `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Hundredths of a pixel: the difference is invisible, and files stay small. */
const UNITS = 100
const toUnits = (value: number) => Math.round(value * UNITS)

function writeContour({ start, segments }: Contour): string {
  let [x, y] = [toUnits(start.x), toUnits(start.y)]
  const pair = ({ x: toX, y: toY }: Point) => [toUnits(toX) - x, toUnits(toY) - y]
  let text = `M${list([x, y])}`
  let command = 'M'
  for (const [at, segment] of segments.entries()) {
    // `z` draws the closing line.
    if (at === segments.length - 1 && segment.kind === 'line') break
    const numbers =
      segment.kind === 'line'
        ? pair(segment.to)
        : [...pair(segment.first), ...pair(segment.second), ...pair(segment.to)]
    const [dx = 0, dy = 0] = numbers.slice(-2)
    const letter = segment.kind === 'curve' ? 'c' : dy === 0 ? 'h' : dx === 0 ? 'v' : 'l'
    const written = list(letter === 'h' ? [dx] : letter === 'v' ? [dy] : numbers)
    const isSame = letter === command && (letter === 'c' || letter === 'l')
    text += isSame ? (written.startsWith('-') ? written : ` ${written}`) : `${letter}${written}`
    command = letter
    x += dx
    y += dy
  }
  return `${text}z`
}

function list(units: readonly number[]): string {
  return units
    .map((unit) => shortNumber(unit / UNITS))
    .reduce((text, number) => (number.startsWith('-') ? text + number : `${text} ${number}`))
}

/** Formats a number with a limited number of decimals and without trailing zeros. */
export function shortNumber(value: number, decimals = 2): string {
  const text = value.toFixed(decimals)
  const bare = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return bare.replace(/^(-?)0\./, '$1.').replace(/^-0?$/, '0') || '0'
}
