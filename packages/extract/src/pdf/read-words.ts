import { isLeftward } from './direction.ts'
import { levelOf, markPieces, type Piece } from './mark-pieces.ts'
import type { OpenPdf } from './open-pdf.ts'
import { type Letter, readLetters, type Style } from './read-letters.ts'
import type { PdfLink } from './read-links.ts'

/** A word on a page; coordinates in points, turned so that its text runs to the right and y grows downwards. */
export type Word = Style & {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly baseline: number
  readonly href: string | null
  /** Whether the page draws a space before it. */
  readonly isSpaced: boolean
}

type Begun = {
  /** Without marks. */
  text: string
  readonly pieces: Piece[]
  left: number
  /** Of its last letter. */
  lastLeft: number
  right: number
  readonly baseline: number
  readonly style: Style
  readonly isSpaced: boolean
}

/** A space is wider, in font sizes, than the gaps between letters that a page places one by one. */
const MIN_SPACE = 0.12
/** A jump further than this, in font sizes, begins a new word. */
const MAX_JUMP = 0.8
/** Marks of footnotes. */
const REFERENCE = /^[\d*†‡§]+$/u
/** Accents that TeX draws as letters of their own, and their combining forms. */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['`', '\u0300'],
  ['´', '\u0301'],
  ['ˆ', '\u0302'],
  ['˜', '\u0303'],
  ['¯', '\u0304'],
  ['˘', '\u0306'],
  ['˙', '\u0307'],
  ['¨', '\u0308'],
  ['˚', '\u030A'],
  ['˝', '\u030B'],
  ['ˇ', '\u030C'],
  ['¸', '\u0327'],
])
/** All but superscripts, subscripts, fractions and signs of ordinals and trademarks. */
const PLAIN = /[^\u00AA\u00B2\u00B3\u00B9\u00BA\u00BC-\u00BE\u2070-\u209F\u2120\u2122\u2150-\u215E]+/gu
const DOTLESS: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' }

/** The words of a page in the order in which the page draws them, and how many of their characters have no map. */
export function readWords(
  open: OpenPdf,
  page: number,
  { links, maxChars }: { readonly links: readonly PdfLink[]; readonly maxChars: number },
): { readonly words: readonly Word[]; readonly unmappedShare: number } {
  const words: Word[] = []
  const { letters, unmappedShare } = readLetters(open, page, maxChars)
  const drawn = new Set<string>()
  let begun: Begun | null = null
  const finish = () => {
    if (begun && begun.text.trim() !== '' && !isCopy(begun, drawn)) words.push(toWord(begun, links))
    begun = null
  }
  for (const letter of joinAccents(letters)) {
    const previous: Begun | null = begun
    if (previous && !continues(previous, letter)) finish()
    if (begun) {
      const word: Begun = begun
      word.text += letter.char
      word.left = Math.min(word.left, letter.left)
      word.lastLeft = letter.left
      const level = levelOf(word, letter)
      const piece = word.pieces.at(-1)
      if (piece?.level === level) piece.text += letter.char
      else word.pieces.push({ level, text: letter.char })
      word.right = Math.max(word.right, letter.start, letter.right)
    } else {
      const { char, start, left, right, baseline, style, space } = letter
      const ends = { left: Math.min(start, left), lastLeft: left, right: Math.max(start, right) }
      const pieces: Piece[] = [{ level: 'base', text: char }]
      begun = { text: char, pieces, ...ends, baseline, style, isSpaced: space === 'drawn' }
    }
  }
  finish()
  return { words, unmappedShare }
}

/** Superscripts stay with the word before them. */
function continues(word: Begun, { char, start, right, baseline, style, space }: Letter): boolean {
  const size = Math.max(word.style.size, style.size)
  // In text that runs to the left, the next letter is at the left of the last one.
  const isLeft = (isLeftward(word.text) || isLeftward(char)) && right <= word.lastLeft + 0.3 * size
  const gap = isLeft ? word.lastLeft - right : start - word.right
  if (space === 'drawn' || (space === 'generated' && gap > MIN_SPACE * style.size)) return false
  const isReference = style.size > 1.15 * word.style.size && baseline - word.baseline > 0.1 * size
  return (
    word.style.turns === style.turns &&
    Math.abs(baseline - word.baseline) < 0.5 * size &&
    gap < MAX_JUMP * size &&
    gap > -2 * size &&
    !(isReference && REFERENCE.test(word.text))
  )
}

/** Letters with the accents that are drawn over or below them, before or after them. */
function joinAccents(letters: readonly Letter[]): Letter[] {
  const joined: Letter[] = []
  for (let at = 0; at < letters.length; at += 1) {
    const [letter, next] = [letters[at], letters[at + 1]]
    if (!letter) continue
    const mark = ACCENTS.get(letter.char)
    const last = joined.at(-1)
    if (mark !== undefined && last && isUnder(last, letter)) last.char = accent(last.char, mark)
    else if (mark !== undefined && next && isUnder(next, letter)) {
      joined.push({ ...next, char: accent(next.char, mark), space: letter.space })
      at += 1
    } else joined.push(letter)
  }
  return joined
}

function accent(char: string, mark: string): string {
  return `${DOTLESS[char] ?? char}${mark}`
}

/** Whether the middle of an accent lies over a letter. */
function isUnder(
  { char, left, right, baseline, style }: Letter,
  { style: { turns }, ...mark }: Letter,
): boolean {
  const middle = (mark.left + mark.right) / 2
  const isNear = turns === style.turns && Math.abs(mark.baseline - baseline) < 0.5 * style.size
  return isNear && middle > left && middle < right && /^\p{L}$/u.test(char)
}

/** Whether the page has drawn the same word here before, as it does for a bold look or a shadow. */
function isCopy({ text, left, baseline, style }: Begun, drawn: Set<string>): boolean {
  const [x, y] = [(5 * left) / style.size, (5 * baseline) / style.size]
  const keys = [Math.floor(x), Math.floor(x + 0.5) + 0.5].flatMap((column) =>
    [Math.floor(y), Math.floor(y + 0.5) + 0.5].map((row) => `${column} ${row} ${text}`),
  )
  if (text.length > 1 && keys.some((key) => drawn.has(key))) return true
  for (const key of keys) drawn.add(key)
  return false
}

function toWord({ pieces, left, right, baseline, style, isSpaced }: Begun, links: readonly PdfLink[]): Word {
  const x = (left + right) / 2
  const href = style.turns === 0 ? (links.find(({ box }) => isWithin(box, x, -baseline))?.href ?? null) : null
  return { ...style, text: normalise(markPieces(pieces)), left, right, baseline, href, isSpaced }
}

/** Compatible characters, such as ligatures, as plain ones, but 10⁶ is not 106, and 1½ not 11⁄2. */
function normalise(text: string): string {
  return text.replace(PLAIN, (part) => part.normalize('NFKC'))
}

function isWithin(
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
  x: number,
  y: number,
): boolean {
  return x >= left && x <= right && y >= bottom - 1 && y <= top
}
