import type { Colour } from '../colour/colour.ts'
import { parseColour } from '../colour/parse-colour.ts'

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
  return parseColour(SYSTEM[written] ?? written)
}
