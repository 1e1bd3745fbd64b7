import type { Mask, Piece, Segment } from './segment.ts'

/** Characters that are markup in Markdown; the prose sent to a translator contains none of them. */
const MARKUP = /[`*_~[\]<>|\\{}⟦⟧]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\uffff]+/g
/** Text that begins a block at the start of a line. */
const BLOCK_START = /^(?:[-+=#>]|\d{1,9}(?=[.)](?:\s|$)))/

/** Whether each mask of a segment occurs exactly once, and ordered ones in order. */
export function hasAllMasks(translated: readonly Piece[], { masks }: Segment): boolean {
  const found = translated.filter((piece) => typeof piece === 'number')
  if (found.length !== masks.length || new Set(found).size !== masks.length) return false
  if (found.some((number) => masks[number] === undefined)) return false
  const ordered = found.filter((number) => masks[number]?.isOrdered)
  return ordered.every((number, at) => at === 0 || number > (ordered[at - 1] ?? 0))
}

type Options = { readonly isMarkdown: boolean }

/**
 * The text of a translated segment: masks as they were, with white space next to them as before, and prose
 * without line breaks and markup of its own.
 */
export function restoreSegment(
  translated: readonly Piece[],
  segment: Segment,
  { isMarkdown }: Options,
): string {
  const { masks } = segment
  let text = ''
  let last: Mask | null = null
  for (const piece of translated) {
    const mask = typeof piece === 'number' ? masks[piece] : undefined
    if (mask) {
      text = toBefore(text, mask)
      if (isMarkdown && mask.text.startsWith('[') && text.endsWith('!') && !mask.hasSpaceBefore) text += ' '
      text += mask.text
      last = mask
    } else if (typeof piece === 'string') {
      const prose = clean(piece, segment, isMarkdown)
      text += toAfter(prose, last, isMarkdown && isLineStart(text))
      if (prose !== '') last = null
    }
  }
  return text.trim() === text ? text : trimProse(text, translated)
}

const isLineStart = (text: string) => text === '' || /[\r\n][ \t>]*$/.test(text)

function clean(piece: string, { pieces }: Segment, isMarkdown: boolean): string {
  const isSpaced = pieces.some((one) => typeof one === 'string' && / {2}/.test(one))
  const plain = piece.replace(CONTROLS, ' ')
  const bare = isMarkdown ? plain.replace(MARKUP, '') : plain
  return isSpaced ? bare : bare.replace(/ {2,}/g, ' ')
}

/** Text before a mask: a delimiter keeps its distance, code and URLs are at least as far from words as before. */
function toBefore(text: string, { isOrdered, hasSpaceBefore }: Mask): string {
  if (hasSpaceBefore) return text === '' || /\s$/.test(text) ? text : `${text} `
  return isOrdered ? withoutBlanksAtEnd(text) : text
}

/** Not by an expression, which would also try every run of spaces within the text, for each mask. */
function withoutBlanksAtEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1
  return text.slice(0, end)
}

function toAfter(prose: string, last: Mask | null, isLineStart: boolean): string {
  const escaped = isLineStart && BLOCK_START.test(prose.trimStart()) ? escapeStart(prose) : prose
  if (!last) return escaped
  if (last.hasSpaceAfter) return /^\s/.test(escaped) ? escaped : ` ${escaped}`
  return last.isOrdered ? escaped.trimStart() : escaped
}

/** In `1.` the point is escaped, in other markers the marker itself. */
function escapeStart(prose: string): string {
  return prose.replace(/^(\s*)(?:(\d+)([.)])|([-+=#>]))/, (_, white, digits, point, mark) =>
    digits === undefined ? `${white}\\${mark}` : `${white}${digits}\\${point}`,
  )
}

/** White space at the ends of a segment is outside of it; that of a mask belongs to the mask. */
function trimProse(text: string, pieces: readonly Piece[]): string {
  const isProse = (piece: Piece | undefined) => typeof piece === 'string'
  const start = isProse(pieces[0]) ? text.trimStart() : text
  return isProse(pieces.at(-1)) ? start.trimEnd() : start
}
