import type { Piece } from '../document/segment.ts'
import type { Pieces } from '../translation-backend.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

export type Marks = {
  readonly toMark: (mask: number) => string
  /** Finds them, with the mask's number as its first group. */
  readonly pattern: RegExp
}

/** Elements that LibreTranslate preserves. */
export const SPANS: Marks = {
  toMark: (mask) => `<span translate="no">${mask}</span>`,
  pattern: /<span\b[^<>]*\btranslate=["']?no["']?[^<>]*>\s*(\d{1,5})\s*<\/span>/gi,
}
/** Elements without content, which Bergamot moves with the words around them. */
export const IMAGES: Marks = {
  toMark: (mask) => `<img src="${mask}">`,
  pattern: /<img src="(\d{1,5})">/g,
}

export function toHtml(pieces: Pieces, { toMark }: Marks): string {
  return pieces
    .map((piece) =>
      typeof piece === 'number'
        ? toMark(piece)
        : piece.replace(/[&<>]/g, (one) => (one === '&' ? '&amp;' : one === '<' ? '&lt;' : '&gt;')),
    )
    .join('')
}

/** The segment of translated HTML; added tags are removed. */
export function fromHtml(html: string, { pattern }: Marks): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const takeProse = (to: number) => {
    const prose = html
      .slice(at, to)
      .replace(/<[^<>]*>/g, '')
      .replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]+));/gi, (whole, decimal, hex, name) => {
        if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
        const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
        return point > 31 ? String.fromCodePoint(point) : ' '
      })
    if (prose !== '') pieces.push(prose)
  }
  for (const mask of html.matchAll(pattern)) {
    takeProse(mask.index)
    at = mask.index + mask[0].length
    pieces.push(Number(mask[1]))
  }
  takeProse(html.length)
  return pieces
}
