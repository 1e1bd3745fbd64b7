import type { QrMatrix } from './qr-matrix.ts'

export const QR_STYLES = ['square', 'rounded', 'dots'] as const
export type ModuleStyle = (typeof QR_STYLES)[number]

/** Which corners of a dark module are round, clockwise from the top left. */
export type Corners = readonly [boolean, boolean, boolean, boolean]

const SQUARE: Corners = [false, false, false, false]
const DOT: Corners = [true, true, true, true]
/** Side of a finder pattern; its squares are how readers find a symbol. */
const FINDER = 7

type Module = { readonly x: number; readonly y: number; readonly shape: ModuleStyle }

/**
 * The shape of a dark module: in `dots` a disc, in `rounded` a square whose corners are round where nothing
 * adjoins. Finder patterns have no dots.
 */
export function cornersOf({ rows, modules }: QrMatrix, { x, y, shape }: Module): Corners {
  if (shape === 'square') return SQUARE
  if (shape === 'dots') return isInFinder(x, y, modules) ? SQUARE : DOT
  const [up, right, down, left] = [rows[y - 1]?.[x], rows[y]?.[x + 1], rows[y + 1]?.[x], rows[y]?.[x - 1]]
  return [!up && !left, !up && !right, !down && !right, !down && !left]
}

function isInFinder(x: number, y: number, modules: number): boolean {
  const [isLeft, isTop] = [x < FINDER, y < FINDER]
  return (isLeft && isTop) || (isTop && x >= modules - FINDER) || (isLeft && y >= modules - FINDER)
}

/** A module as an SVG path from its top left corner; round corners have a radius of half a module. */
export function drawModule(
  x: number,
  y: number,
  [topLeft, topRight, bottomRight, bottomLeft]: Corners,
): string {
  const arc = (isRound: boolean, round: string, square: string) => (isRound ? `a.5.5 0 0 1 ${round}` : square)
  return [
    `M${x} ${y + 0.5}`,
    arc(topLeft, '.5-.5', 'v-.5h.5'),
    arc(topRight, '.5 .5', 'h.5v.5'),
    arc(bottomRight, '-.5 .5', 'v.5h-.5'),
    arc(bottomLeft, '-.5-.5', 'h-.5v-.5'),
    'z',
  ].join('')
}

/** Whether the pixel in this column and row of a module of `scale` pixels is dark, by its centre. */
export function isDarkPixel(corners: Corners, { column, row, scale }: PixelPlace): boolean {
  const [across, down] = [(column + 0.5) / scale - 0.5, (row + 0.5) / scale - 0.5]
  const corner = down < 0 ? (across < 0 ? 0 : 1) : across < 0 ? 3 : 2
  return !corners[corner] || across ** 2 + down ** 2 <= 0.25
}

export type PixelPlace = { readonly column: number; readonly row: number; readonly scale: number }
