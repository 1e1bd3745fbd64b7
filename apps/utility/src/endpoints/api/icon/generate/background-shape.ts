export const SHAPES = ['none', 'circle', 'square', 'rounded', 'squircle'] as const
export type Shape = (typeof SHAPES)[number]

/** Corner radius as a share of the side. Chosen: between those of the app icons of iOS and Android. */
const CORNER = 0.2
/** Number of curves of the squircle; its error is then less than 0.0001 of the side. */
const CURVES = 16

/** The SVG element of a background that fills a square with this side; `fill` is written unescaped. */
export function renderShape(shape: Exclude<Shape, 'none'>, side: number, fill: string): string {
  switch (shape) {
    case 'circle':
      return `<circle cx="${side / 2}" cy="${side / 2}" r="${side / 2}" ${fill}/>`
    case 'square':
      return `<rect width="${side}" height="${side}" ${fill}/>`
    case 'rounded':
      return `<rect width="${side}" height="${side}" rx="${round(side * CORNER)}" ${fill}/>`
    case 'squircle':
      return `<path d="${squirclePath(side)}" ${fill}/>`
    default:
      throw new Error('unreachable', { cause: shape satisfies never })
  }
}

/** The superellipse x⁴ + y⁴ = 1, scaled to the square, as cubic curves through its points and tangents. */
function squirclePath(side: number): string {
  const step = (2 * Math.PI) / CURVES
  const place = (value: number) => round((side / 2) * (1 + value))
  const curves = Array.from({ length: CURVES }, (_, at) => {
    const [start, end] = [superellipse(at * step), superellipse((at + 1) * step)]
    const third = step / 3
    const points = [
      [start.x + start.dx * third, start.y + start.dy * third],
      [end.x - end.dx * third, end.y - end.dy * third],
      [end.x, end.y],
    ]
    return `C${points.map(([x = 0, y = 0]) => `${place(x)} ${place(y)}`).join(' ')}`
  })
  return `M${place(1)} ${place(0)}${curves.join('')}Z`
}

/** Point and derivative at an angle from the centre: r = (cos⁴ + sin⁴)^(-1/4). */
function superellipse(angle: number) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const radius = (cos ** 4 + sin ** 4) ** -0.25
  const growth = radius ** 5 * (cos ** 3 * sin - sin ** 3 * cos)
  return {
    x: radius * cos,
    y: radius * sin,
    dx: growth * cos - radius * sin,
    dy: growth * sin + radius * cos,
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
