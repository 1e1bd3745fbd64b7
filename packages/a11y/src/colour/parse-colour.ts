// Ambient declarations are not found by imports, and other projects compile this file, too.
/// <reference path="./color-name.d.ts" />
import rgbByName from 'color-name'
import type { Colour } from './colour.ts'
import { fromHsl } from './from-hsl.ts'
import { toDegrees } from './to-degrees.ts'

const NAMED = new Map(Object.entries(rgbByName))

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?`
const FUNCTION = /^(rgb|hsl)a?\(\s*(.*?)\s*\)$/
const COMPONENT = new RegExp(`^(?:(${NUMBER})(%?)|none)$`)

/**
 * Parses a CSS colour: hex with 3, 4, 6 or 8 digits (the `#` is optional, since in a URL it would start the
 * fragment), `rgb()`, `rgba()`, `hsl()` and `hsla()` with commas or spaces, a colour name, or `transparent`. Out-of-range
 * channels are clamped as in CSS; null if the text is none of these.
 * @see https://www.w3.org/TR/css-color-4/#rgb-functions
 */
export function parseColour(text: string): Colour | null {
  const written = text.trim().toLowerCase()
  if (written === 'transparent') return { red: 0, green: 0, blue: 0, alpha: 0 }
  const named = NAMED.get(written)
  if (named) return { red: named[0], green: named[1], blue: named[2], alpha: 1 }
  return parseHex(written) ?? parseFunction(written)
}

/** @throws TypeError for a text that `parseColour` rejects */
export function readColour(text: string): Colour {
  const parsed = parseColour(text)
  if (!parsed) throw new TypeError(`unreachable: the colour passed validation but cannot be read: ${text}`)
  return parsed
}

function parseHex(text: string): Colour | null {
  const digits = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(text)?.[1]
  if (digits === undefined) return null
  const pairs = digits.length > 4 ? digits.match(/../g) : [...digits].map((digit) => digit + digit)
  const [red = 0, green = 0, blue = 0, alpha = 255] = (pairs ?? []).map((pair) => Number.parseInt(pair, 16))
  return { red, green, blue, alpha: alpha / 255 }
}

function parseFunction(text: string): Colour | null {
  const [, name, inside] = FUNCTION.exec(text) ?? []
  if (inside === undefined) return null
  const parts = inside.includes(',') ? splitCommas(inside, name === 'hsl') : splitSpaces(inside)
  if (!parts) return null
  const alpha = parts.length === 4 ? parseComponent(parts[3] ?? '', 1) : 1
  if (alpha == null) return null
  if (name === 'hsl') {
    const hue = parts[0] === 'none' ? 0 : toDegrees(parts[0] ?? '')
    const [saturation, lightness] = parts
      .slice(1, 3)
      .map((part) => parseComponent(part.replace(/%$/, ''), 100))
    return hue == null || saturation == null || lightness == null
      ? null
      : fromHsl({ hue, saturation, lightness, alpha })
  }
  const [red, green, blue] = parts.slice(0, 3).map((part) => parseComponent(part, 255))
  return red == null || green == null || blue == null ? null : { red, green, blue, alpha }
}

/**
 * `r, g, b` or `r, g, b, a`: the channels are all numbers or all percentages, and `none` is not allowed. In `h, s, l`
 * the last two are percentages.
 */
function splitCommas(inside: string, isHsl: boolean): readonly string[] | null {
  const parts = inside.split(',').map((part) => part.trim())
  const percentages = parts.slice(0, 3).filter((part) => part.endsWith('%')).length
  const isPlain =
    !parts.includes('none') && (isHsl ? percentages === 2 : percentages === 0 || percentages === 3)
  return isPlain && (parts.length === 3 || parts.length === 4) ? parts : null
}

/** `r g b` or `r g b / a`. */
function splitSpaces(inside: string): readonly string[] | null {
  const [channels = '', ...alpha] = inside.split('/')
  const parts = [...channels.trim().split(/\s+/), ...alpha.map((part) => part.trim())]
  return parts.length === 3 + alpha.length && alpha.length <= 1 ? parts : null
}

/** A number, a percentage of `full`, or `none` (0), clamped to 0 to `full`. */
function parseComponent(text: string, full: number): number | null {
  const match = COMPONENT.exec(text)
  if (!match) return null
  const value = Number(match[1] ?? 0)
  return Math.min(full, Math.max(0, match[2] === '%' ? (value * full) / 100 : value))
}
