import type { Colour } from '../../colour/colour.ts'
import { parseColour } from '../../colour/parse-colour.ts'

/** CSS Color 4, section 10: system colours on a light page. */
const SYSTEM: Readonly<Record<string, string>> = {
  canvas: '#ffffff',
  canvastext: '#000000',
  linktext: '#0000ee',
  visitedtext: '#551a8b',
  activetext: '#ff0000',
  buttonface: '#efefef',
  buttontext: '#000000',
  field: '#ffffff',
  fieldtext: '#000000',
  graytext: '#808080',
  highlight: '#b5d5ff',
  highlighttext: '#000000',
}

/** Parses a CSS colour; null for invalid colours and for colour spaces that are not converted. */
export function parseCssColour(text: string): Colour | null {
  const written = text.trim().toLowerCase()
  // In CSS, a hex number without `#` is not a colour.
  if (/^[0-9a-f]+$/.test(written) && /\d/.test(written)) return null
  return parseColour(SYSTEM[written] ?? written) ?? parseHsl(written)
}

/** `hsl()` and `hsla()`, with commas or spaces (CSS Color 4, section 7). */
function parseHsl(text: string): Colour | null {
  const inside = /^hsla?\((.*)\)$/.exec(text)?.[1]
  if (inside === undefined) return null
  const [hue, saturation, lightness, alpha = '1'] = inside.split(/[\s,/]+/).filter((part) => part !== '')
  const degrees = toDegrees(hue ?? '')
  const [s, l, a] = [toShare(saturation), toShare(lightness), toShare(alpha)]
  if (degrees === null || s === null || l === null || a === null) return null
  const channel = (shift: number) => {
    const k = (((shift + degrees / 30) % 12) + 12) % 12
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return { red: channel(0), green: channel(8), blue: channel(4), alpha: a }
}

/** Degrees of a CSS angle; a number without a unit is in degrees. Null for any other text. */
export function toDegrees(text: string): number | null {
  const match = /^([+-]?[\d.]+(?:e[+-]?\d+)?)(deg|turn|rad|grad)?$/i.exec(text.trim())
  if (!match) return null
  const per = { deg: 1, turn: 360, rad: 180 / Math.PI, grad: 0.9 }[(match[2] ?? 'deg').toLowerCase()] ?? 1
  return Number(match[1]) * per
}

function toShare(text: string | undefined): number | null {
  const match = /^([\d.]+)(%?)$/.exec(text ?? '')
  if (!match) return null
  return Math.min(1, Number(match[1]) / (match[2] === '%' ? 100 : 1))
}
