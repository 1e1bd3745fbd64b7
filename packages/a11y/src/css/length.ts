/** The base values of relative lengths. */
export type LengthBase = {
  /** The element's font size, px. */
  readonly em: number
  /** The px that 100 % corresponds to; null if only layout can determine it. */
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

/** A length in px; null for keywords, calculations and lengths that depend on layout. */
export function toPixels(text: string, { em, hundredPercent }: LengthBase): number | null {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/i.exec(text.trim())
  if (!match) return null
  const [number, unit] = [Number(match[1]), (match[2] ?? '').toLowerCase()]
  if (unit === '') return number === 0 ? 0 : null
  if (unit === 'em') return number * em
  // Browsers use half an em if the font does not specify it (CSS Values 4, section 6.1.1).
  if (unit === 'ex' || unit === 'ch') return (number * em) / 2
  if (unit === '%') return hundredPercent === null ? null : (number * hundredPercent) / 100
  const factor = PX[unit]
  return factor === undefined ? null : number * factor
}
