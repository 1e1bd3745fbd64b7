import type { OpenPdf } from './open-pdf.ts'

/**
 * The look of text; `size` in points, `turns` quarter turns against the page, counter-clockwise, from 0 to 4; from 4
 * to 8 if the text is mirrored.
 */
export type Style = {
  readonly size: number
  readonly isBold: boolean
  readonly isItalic: boolean
  readonly isMono: boolean
  /** Whether it is not drawn, as the recognised text over a scan. */
  readonly isHidden: boolean
  readonly turns: number
}

/** A character; coordinates in points, turned so that its text runs to the right and y grows downwards. */
export type Letter = {
  char: string
  /** Where its word goes on: ink does not begin or end there. */
  readonly start: number
  readonly left: number
  right: number
  readonly baseline: number
  readonly style: Style
  /** What precedes it; PDFium also generates spaces between letters that a page places one by one. */
  readonly space: 'none' | 'generated' | 'drawn'
}

/** Bits of `/Flags` (ISO 32000-1, table 123). */
const FIXED_PITCH = 1
const ITALIC = 1 << 6
const FORCE_BOLD = 1 << 18
const BOLD_WEIGHT = 600
const BOLD_NAME = /bold|black|heavy|(?:^|[-+])(?:cmbx|cmb\d)/i
const ITALIC_NAME = /italic|oblique|(?:^|[-+])cm(?:ti|sl)/i
const MONO_NAME = /mono|courier|consol|(?:^|[-+])cmtt/i
/** FPDF_TEXTRENDERMODE_INVISIBLE of `fpdfview.h`. */
const INVISIBLE = 3
/** PDFium writes U+0002 for a hyphen at the end of a line. */
const HYPHEN = 2
const MIRRORED = 4
/** Smaller text, in points, is measured: its matrix may lack a scale. */
const MIN_SIZE = 2
const UPRIGHT = { turns: 0 } as const

export type ReadLetters = {
  /** In the order in which the page draws them. */
  readonly letters: readonly Letter[]
  /** Share of the characters, of which some are looked at, that their font does not map to Unicode. */
  readonly unmappedShare: number
}

/** Every so many characters one is looked at. */
const SAMPLE = 8

/** The characters of a page. */
export function readLetters(open: OpenPdf, page: number, maxChars: number): ReadLetters {
  const { pdfium, memory, scratch } = open
  const text = pdfium.FPDFText_LoadPage(page)
  if (!text) return { letters: [], unmappedShare: 0 }
  const styles = new Map<number, Style>()
  const letters: Letter[] = []
  let space: Letter['space'] = 'none'
  let [unmapped, sampled] = [0, 0]
  const count = Math.min(pdfium.FPDFText_CountChars(text), maxChars)
  for (let at = 0; at < count; at += 1) {
    const code = pdfium.FPDFText_GetUnicode(text, at)
    if (code === 0 || code === 0xfffe || code === 0xffff) continue
    const char = code === HYPHEN ? '-' : String.fromCodePoint(Math.min(code, 0x10ffff))
    const last = letters.at(-1)
    if ((code <= 32 && code !== HYPHEN) || /\s/u.test(char)) {
      if (pdfium.FPDFText_IsGenerated(text, at) === 1) {
        if (space === 'none') space = 'generated'
        // Ink of a slanted letter reaches over the space after it.
        if (last && space === 'generated')
          last.right = Math.min(last.right, readEnd(open, text, at - 1, last))
      } else if (!isOverLigature(letters, readStart(open, text, at, last?.style ?? UPRIGHT)[0]))
        space = 'drawn'
      continue
    }
    const object = pdfium.FPDFText_GetTextObject(text, at)
    const style = styles.get(object) ?? readStyle(open, text, { at, object })
    styles.set(object, style)
    const [start, baseline] = readStart(open, text, at, style)
    pdfium.FPDFText_GetCharBox(text, at, scratch, scratch + 8, scratch + 16, scratch + 24)
    const [left = 0, right = 0, bottom = 0, top = 0] = new Float64Array(memory().buffer, scratch, 4)
    const ends = endsOf([left, right, bottom, top], start, style)
    letters.push({ char, start, left: Math.min(...ends), right: Math.max(...ends), baseline, style, space })
    space = 'none'
    if (letters.length % SAMPLE === 0) {
      sampled += 1
      if (pdfium.FPDFText_HasUnicodeMapError(text, at) === 1) unmapped += 1
    }
  }
  pdfium.FPDFText_ClosePage(text)
  return { letters, unmappedShare: unmapped / Math.max(1, sampled) }
}

/** Some documents show a ligature and a space drawn over it, as the second letter. */
function isOverLigature(letters: readonly Letter[], start: number): boolean {
  const [first, second] = letters.slice(-2)
  return first !== undefined && second?.start === first.start && start < second.right
}

function readStart(
  { pdfium, memory, scratch }: OpenPdf,
  text: number,
  at: number,
  { turns }: Pick<Style, 'turns'>,
): readonly [number, number] {
  pdfium.FPDFText_GetCharOrigin(text, at, scratch, scratch + 8)
  const [x = 0, y = 0] = new Float64Array(memory().buffer, scratch, 2)
  return turn(x, y, turns)
}

/** The end of a character's advance, which need not be that of its ink. */
function readEnd(
  { pdfium, memory, scratch }: OpenPdf,
  text: number,
  at: number,
  { style, start }: Letter,
): number {
  if (at < 0 || !pdfium.FPDFText_GetLooseCharBox(text, at, scratch)) return Number.POSITIVE_INFINITY
  const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(memory().buffer, scratch, 4)
  const end = Math.max(turn(left, bottom, style.turns)[0], turn(right, top, style.turns)[0])
  return end > start ? end : Number.POSITIVE_INFINITY
}

/** Both ends of a character whose box is that of the page; of a slanted one its box has the middle alone. */
function endsOf(
  [left, right, bottom, top]: readonly [number, number, number, number],
  start: number,
  { turns }: Style,
): readonly [number, number] {
  if (turns % 1 === 0) return [turn(left, bottom, turns)[0], turn(right, top, turns)[0]]
  return [start, 2 * turn((left + right) / 2, (bottom + top) / 2, turns)[0] - start]
}

/** Coordinates of text that runs to the right, y downwards. */
export function turn(x: number, y: number, turns: Style['turns']): readonly [number, number] {
  const angle = (turns * Math.PI) / 2
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)]
  const [along, down] = [x * cosine + y * sine, x * sine - y * cosine]
  return [along, turns >= MIRRORED ? -down : down]
}

/** Slants of less than this, in quarter turns, are those of scans. */
const MIN_SLANT = 0.1

function turnsOf(a: number, b: number, isMirrored: boolean): number {
  const turns = (Math.atan2(b, a) / (Math.PI / 2) + 4) % 4
  const near = Math.round(turns)
  const exact = Math.abs(turns - near) < MIN_SLANT ? near % 4 : Math.round(turns * 1_000) / 1_000
  return isMirrored ? exact + MIRRORED : exact
}

function readStyle(
  { pdfium, memory, scratch }: OpenPdf,
  text: number,
  { at, object }: { readonly at: number; readonly object: number },
): Style {
  const buffer = scratch + 64
  const length = pdfium.FPDFText_GetFontInfo(text, at, buffer, 256, scratch)
  const flags = new Int32Array(memory().buffer, scratch, 1)[0] ?? 0
  const name = length > 1 && length <= 256 ? pdfium.pdfium.UTF8ToString(buffer) : ''
  const weight = pdfium.FPDFText_GetFontWeight(text, at)
  pdfium.FPDFText_GetMatrix(text, at, scratch)
  const [a = 1, b = 0, c = 0, d = 1] = new Float32Array(memory().buffer, scratch, 4)
  const fontSize = pdfium.FPDFText_GetFontSize(text, at)
  // A negative size turns text upside down.
  const sign = fontSize < 0 ? -1 : 1
  const scaled = Math.abs(fontSize) * Math.hypot(c, d)
  const size = scaled >= MIN_SIZE ? scaled : measureSize({ pdfium, memory, scratch }, text, at)
  return {
    size: Number.isFinite(size) && size > 0 ? size : 1,
    isBold: weight >= BOLD_WEIGHT || (flags & FORCE_BOLD) !== 0 || BOLD_NAME.test(name),
    isItalic: (flags & ITALIC) !== 0 || ITALIC_NAME.test(name),
    isMono: (flags & FIXED_PITCH) !== 0 || MONO_NAME.test(name),
    isHidden: object !== 0 && pdfium.FPDFTextObj_GetTextRenderMode(object) === INVISIBLE,
    turns: turnsOf(sign * a, sign * b, a * d < b * c),
  }
}

/** Of text whose size and matrix are not those of the page: by the height of a character's box, in font sizes. */
const BOX_HEIGHT = 1.2

function measureSize(
  { pdfium, memory, scratch }: Pick<OpenPdf, 'pdfium' | 'memory' | 'scratch'>,
  text: number,
  at: number,
): number {
  if (!pdfium.FPDFText_GetLooseCharBox(text, at, scratch)) return 0
  const [, top = 0, , bottom = 0] = new Float32Array(memory().buffer, scratch, 4)
  return Math.abs(top - bottom) / BOX_HEIGHT
}
