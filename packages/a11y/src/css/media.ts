/** The screen on which a page is checked: an ordinary laptop without user preferences. */
const SCREEN = { width: 1280, height: 800 } as const
const PX_PER_EM = 16

const FEATURES: Readonly<Record<string, string>> = {
  orientation: 'landscape',
  'prefers-color-scheme': 'light',
  'prefers-reduced-motion': 'no-preference',
  'prefers-contrast': 'no-preference',
  hover: 'hover',
  'any-hover': 'hover',
  pointer: 'fine',
  'any-pointer': 'fine',
  'display-mode': 'browser',
  scripting: 'enabled',
  'forced-colors': 'none',
}

/** Whether a media query list matches that screen; an unsupported query does not match. */
export function holdsOnScreen(query: string): boolean {
  return query.split(',').some((one) => holds(one.trim().toLowerCase()))
}

function holds(query: string): boolean {
  if (query === '') return true
  const isNegated = /^not\b/.test(query)
  const plain = query.replace(/^(?:not|only)\b/, '').trim()
  const parts = plain.split(/\band\b/).map((part) => part.trim())
  return isNegated !== parts.every(holdsPart)
}

function holdsPart(part: string): boolean {
  if (part === 'all' || part === 'screen') return true
  const inside = /^\((.*)\)$/.exec(part)?.[1]
  if (inside === undefined) return false
  const pair = /^([\w-]+)\s*:\s*(.+)$/.exec(inside)
  if (pair) return holdsFeature(pair[1] ?? '', (pair[2] ?? '').trim())
  const range = /^(width|height)\s*([<>]=?|=)\s*(.+)$/.exec(inside)
  if (range) return compare(SCREEN[range[1] as 'width' | 'height'], range[2] ?? '', toPixels(range[3] ?? ''))
  const flipped = /^(.+?)\s*([<>]=?)\s*(width|height)$/.exec(inside)
  if (!flipped) return inside in FEATURES || inside === 'color'
  return compare(toPixels(flipped[1] ?? ''), flipped[2] ?? '', SCREEN[flipped[3] as 'width' | 'height'])
}

function holdsFeature(name: string, value: string): boolean {
  const bound = /^(min|max)-(?:device-)?(width|height)$/.exec(name)
  if (!bound) return FEATURES[name] === value
  const size = SCREEN[bound[2] as 'width' | 'height']
  return compare(size, bound[1] === 'min' ? '>=' : '<=', toPixels(value))
}

const COMPARE: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

function compare(left: number, operator: string, right: number): boolean {
  return COMPARE[operator]?.(left, right) ?? left === right
}

/** NaN for anything that is not a length; every comparison with NaN is false. */
function toPixels(text: string): number {
  const match = /^([\d.]+)(px|em|rem)?$/.exec(text.trim())
  if (!match) return Number.NaN
  return Number(match[1]) * (match[2] === 'em' || match[2] === 'rem' ? PX_PER_EM : 1)
}
