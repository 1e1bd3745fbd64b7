import type { Contour, Drawing, Point, Rgb } from '../picture.ts'
import { shortNumber } from './short-number.ts'

/** Operator names of a page description language. */
export type Operators = {
  readonly move: string
  readonly line: string
  readonly curve: string
  readonly close: string
  readonly fill: string
  readonly colour: string
}

/** The operators that paint a drawing in pixel coordinates, y downwards, one per line. */
export function paint({ layers }: Drawing, operators: Operators): string {
  return layers
    .map(({ colour, contours }) => {
      const outlines = contours.map((contour) => writeContour(contour, operators))
      return `${shares(colour)} ${operators.colour}\n${outlines.join('')}${operators.fill}\n`
    })
    .join('')
}

function shares(colour: Rgb): string {
  return colour.map((channel) => String(Number((channel / 255).toFixed(4)))).join(' ')
}

function writeContour({ start, segments }: Contour, { move, line, curve, close }: Operators): string {
  const lines = segments.map((segment) =>
    segment.kind === 'line'
      ? `${place(segment.to)} ${line}`
      : `${place(segment.first)} ${place(segment.second)} ${place(segment.to)} ${curve}`,
  )
  return `${place(start)} ${move}\n${lines.join('\n')}\n${close}\n`
}

function place({ x, y }: Point): string {
  return `${shortNumber(x)} ${shortNumber(y)}`
}
