import { type Colour, toHex } from '@tollbook/a11y/colour/colour'
import { renderShape, type Shape } from './background-shape.ts'

export type Paint = Colour | { readonly from: Colour; readonly to: Colour; readonly angle: number }

export type IconDesign = {
  /** Width and height, pixels. */
  readonly size: number
  readonly colour: Colour
  readonly shape: Shape
  readonly background: Paint
  /** Padding around the icon as a share of the size, 0 to 0.45. */
  readonly padding: number
  /** Degrees clockwise. */
  readonly rotate: number
}

export type Outline = {
  /** SVG path data. */
  readonly path: string
  /** The area that must be visible, in the icon's own units. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  /** The licence comment of the icon's authors. */
  readonly credit: string
}

/** An icon on its background as an SVG document. Keeps the authors' comment, as their licence requires. */
export function composeIcon(outline: Outline, design: IconDesign): string {
  const { size, shape, background, colour } = design
  const isGradient = 'from' in background
  const fill = isGradient ? 'fill="url(#background)"' : fillOf(background)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}">`,
    `<!--${outline.credit} Changed: size, colour, background.-->`,
    isGradient && shape !== 'none' ? renderGradient(background, size) : '',
    shape === 'none' ? '' : renderShape(shape, size, fill),
    `<g transform="${place(outline.box, design)}" ${fillOf(colour)}>`,
    `<path d="${outline.path}"/></g></svg>`,
  ].join('')
}

/** Rotates the outline around its centre and fits it into the square inside the padding. */
function place({ x, y, width, height }: Outline['box'], { size, padding, rotate }: IconDesign): string {
  const scale = (size * (1 - 2 * padding)) / Math.max(width, height)
  const [middleX, middleY] = [x + width / 2, y + height / 2]
  const turned = rotate === 0 ? '' : ` rotate(${rotate})`
  return `translate(${size / 2} ${size / 2})${turned} scale(${round(scale)}) translate(${round(-middleX)} ${round(-middleY)})`
}

/** The line of a CSS gradient: 0 degrees points up, 90 to the right, and the corners have the pure colours. */
function renderGradient(
  { from, to, angle }: { readonly from: Colour; readonly to: Colour; readonly angle: number },
  size: number,
): string {
  const radians = (angle * Math.PI) / 180
  const [right, up] = [Math.sin(radians), Math.cos(radians)]
  const half = (size * (Math.abs(right) + Math.abs(up))) / 2
  const [x, y] = [right * half, -up * half]
  const line = `x1="${round(size / 2 - x)}" y1="${round(size / 2 - y)}" x2="${round(size / 2 + x)}" y2="${round(size / 2 + y)}"`
  const stops = [renderStop(0, from), renderStop(1, to)].join('')
  return `<defs><linearGradient id="background" gradientUnits="userSpaceOnUse" ${line}>${stops}</linearGradient></defs>`
}

function renderStop(offset: number, colour: Colour): string {
  const opacity = colour.alpha < 1 ? ` stop-opacity="${round(colour.alpha)}"` : ''
  return `<stop offset="${offset}" stop-color="${toHex({ ...colour, alpha: 1 })}"${opacity}/>`
}

/** Hex with a separate opacity, which every SVG renderer supports. */
function fillOf(colour: Colour): string {
  const opacity = colour.alpha < 1 ? ` fill-opacity="${round(colour.alpha)}"` : ''
  return `fill="${toHex({ ...colour, alpha: 1 })}"${opacity}`
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
