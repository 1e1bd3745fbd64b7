import { safeUrl } from '../extract/document/safe-url.ts'
import { type OpenPdf, readUtf8 } from './open-pdf.ts'

/** A word on a page; coordinates in points, turned so that its text runs to the right and y grows downwards. */
export type Word = {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly baseline: number
  /** Size of its font, points. */
  readonly size: number
  readonly isBold: boolean
  readonly isItalic: boolean
  readonly isMono: boolean
  /** Quarter turns of the text against the page, counter-clockwise. */
  readonly turns: 0 | 1 | 2 | 3
  readonly href: string | null
}

type Style = Pick<Word, 'size' | 'isBold' | 'isItalic' | 'isMono' | 'turns'>
type Link = { readonly href: string; readonly box: readonly number[] }
type Begun = { text: string; left: number; right: number; readonly baseline: number; readonly style: Style }

/** Bits of `/Flags` (ISO 32000-1, table 123). */
const FIXED_PITCH = 1
const ITALIC = 1 << 6
const FORCE_BOLD = 1 << 18
const BOLD_WEIGHT = 600
const BOLD_NAME = /bold|black|heavy|(?:^|[-+])(?:cmbx|cmb\d)/i
const ITALIC_NAME = /italic|oblique|(?:^|[-+])cm(?:ti|sl)/i
const MONO_NAME = /mono|courier|consol|(?:^|[-+])cmtt/i
const MAX_LINKS = 1_000
/** PDFium writes U+0002 for a hyphen at the end of a line. */
const HYPHEN = 2
/** PDFium also generates spaces between letters that a page places one by one; a space is wider, in font sizes. */
const MIN_SPACE = 0.12
/** A jump further than this, in font sizes, begins a new word. */
const MAX_JUMP = 0.8

/** The words of a page in the order in which the page draws them. */
export function readWords(open: OpenPdf, page: number, maxChars: number): Word[] {
  const { pdfium, memory, scratch } = open
  const text = pdfium.FPDFText_LoadPage(page)
  if (!text) return []
  const doubles = () => new Float64Array(memory().buffer, scratch, 6)
  const links = readLinks(open, page)
  const styles = new Map<number, Style>()
  const words: Word[] = []
  let begun: Begun | null = null
  const finish = () => {
    if (begun && begun.text.trim() !== '') words.push(toWord(begun, links))
    begun = null
  }
  let isSpaced = false
  const count = Math.min(pdfium.FPDFText_CountChars(text), maxChars)
  for (let at = 0; at < count; at += 1) {
    const code = pdfium.FPDFText_GetUnicode(text, at)
    if (code === 0 || code === 0xfffe || code === 0xffff) continue
    const char = code === HYPHEN ? '-' : String.fromCodePoint(Math.min(code, 0x10ffff))
    if ((code <= 32 && code !== HYPHEN) || /\s/u.test(char)) {
      if (pdfium.FPDFText_IsGenerated(text, at) === 1) isSpaced = true
      else finish()
      continue
    }
    const object = pdfium.FPDFText_GetTextObject(text, at)
    const style = styles.get(object) ?? readStyle(open, text, at)
    styles.set(object, style)
    pdfium.FPDFText_GetCharOrigin(text, at, scratch, scratch + 8)
    pdfium.FPDFText_GetCharBox(text, at, scratch + 16, scratch + 24, scratch + 32, scratch + 40)
    const [x = 0, y = 0, left = 0, right = 0, bottom = 0, top = 0] = doubles()
    const [start, baseline] = turn(x, y, style.turns)
    const ends = [turn(left, bottom, style.turns)[0], turn(right, top, style.turns)[0]]
    const end = Math.max(start, ...ends)
    const previous: Begun | null = begun
    const isApart = previous !== null && isSpaced && start - previous.right > MIN_SPACE * style.size
    if (previous && (isApart || !continues(previous, start, baseline, style))) finish()
    isSpaced = false
    if (begun) {
      const word: Begun = begun
      word.text += char
      word.right = Math.max(word.right, end)
    } else begun = { text: char, left: Math.min(start, ...ends), right: end, baseline, style }
  }
  finish()
  pdfium.FPDFText_ClosePage(text)
  return words
}

/** Superscripts stay with their word. */
function continues(word: Begun, start: number, baseline: number, style: Style): boolean {
  const size = Math.max(word.style.size, style.size)
  return (
    word.style.turns === style.turns &&
    Math.abs(baseline - word.baseline) < 0.5 * size &&
    start - word.right < MAX_JUMP * size &&
    start - word.right > -2 * size
  )
}

function toWord({ text, left, right, baseline, style }: Begun, links: readonly Link[]): Word {
  const x = (left + right) / 2
  const href = style.turns === 0 ? (links.find(({ box }) => isWithin(box, x, -baseline))?.href ?? null) : null
  return { ...style, text: text.normalize('NFKC'), left, right, baseline, href }
}

function isWithin(
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
  x: number,
  y: number,
): boolean {
  return x >= left && x <= right && y >= bottom - 1 && y <= top
}

/** Coordinates of text that runs to the right, y downwards. */
function turn(x: number, y: number, turns: Word['turns']): readonly [number, number] {
  if (turns === 1) return [y, x]
  if (turns === 2) return [-x, y]
  return turns === 3 ? [-y, -x] : [x, -y]
}

function readStyle({ pdfium, memory, scratch }: OpenPdf, text: number, at: number): Style {
  const buffer = scratch + 64
  const length = pdfium.FPDFText_GetFontInfo(text, at, buffer, 256, scratch)
  const flags = new Int32Array(memory().buffer, scratch, 1)[0] ?? 0
  const name = length > 1 && length <= 256 ? pdfium.pdfium.UTF8ToString(buffer) : ''
  const weight = pdfium.FPDFText_GetFontWeight(text, at)
  pdfium.FPDFText_GetMatrix(text, at, scratch)
  const [a = 1, b = 0, c = 0, d = 1] = new Float32Array(memory().buffer, scratch, 4)
  const size = Math.abs(pdfium.FPDFText_GetFontSize(text, at)) * Math.hypot(c, d)
  return {
    size: Number.isFinite(size) && size > 0 ? size : 1,
    isBold: weight >= BOLD_WEIGHT || (flags & FORCE_BOLD) !== 0 || BOLD_NAME.test(name),
    isItalic: (flags & ITALIC) !== 0 || ITALIC_NAME.test(name),
    isMono: (flags & FIXED_PITCH) !== 0 || MONO_NAME.test(name),
    turns: (((Math.round(Math.atan2(b, a) / (Math.PI / 2)) % 4) + 4) % 4) as Word['turns'],
  }
}

function readLinks(open: OpenPdf, page: number): Link[] {
  const { pdfium, memory, document, scratch } = open
  const links: Link[] = []
  new Int32Array(memory().buffer, scratch, 1)[0] = 0
  // The position stays at the start of the scratch memory; strings are written to a part of their own.
  const strings = { ...open, scratch: scratch + 64 }
  const rest = 64 + 3_000
  while (links.length < MAX_LINKS && pdfium.FPDFLink_Enumerate(page, scratch, scratch + 8)) {
    const link = new Int32Array(memory().buffer, scratch + 8, 1)[0] ?? 0
    const action = pdfium.FPDFLink_GetAction(link)
    if (!action || !pdfium.FPDFLink_GetAnnotRect(link, scratch + rest)) continue
    const box = [...new Float32Array(memory().buffer, scratch + rest, 4)]
    const uri = readUtf8(strings, (buffer, size) =>
      pdfium.FPDFAction_GetURIPath(document, action, buffer, Math.min(size, 3_000)),
    )
    const href = uri === '' ? null : safeUrl(uri, 'https://invalid.invalid/')
    if (href !== null && !href.startsWith('https://invalid.invalid/')) links.push({ href, box })
  }
  return links
}
