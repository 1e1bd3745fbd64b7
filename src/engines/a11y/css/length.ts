/** What relative lengths are measured against. */
export type LengthBase = {
  /** Font size of the element, px. */
  readonly em: number
  /** What a percentage is of, px; null where it cannot be known without a layout. */
  readonly hundredPercent: number | null
}

const ROOT_FONT_PX = 16
const VIEWPORT = { width: 1280, height: 800 } as const
/** CSS Values 4, section 6.2: absolute lengths in px. */
const PX: Readonly<Record<string, number>> = {
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  rem: ROOT_FONT_PX,
  vw: VIEWPORT.width / 100,
  vh: VIEWPORT.height / 100,
}

/** A length in px; null for keywords, calculations and what needs a layout. */
export function toPixels(text: string, { em, hundredPercent }: LengthBase): number | null {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/i.exec(text.trim())
  if (!match) return null
  const [number, unit] = [Number(match[1]), (match[2] ?? '').toLowerCase()]
  if (unit === '') return number === 0 ? 0 : null
  if (unit === 'em') return number * em
  // Half an em is what browsers take where a font says nothing (CSS Values 4, section 6.1.1).
  if (unit === 'ex' || unit === 'ch') return (number * em) / 2
  if (unit === '%') return hundredPercent === null ? null : (number * hundredPercent) / 100
  const factor = PX[unit]
  return factor === undefined ? null : number * factor
}
