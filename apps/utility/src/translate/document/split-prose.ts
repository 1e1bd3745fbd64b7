import { type MaskedRange, markPlain } from './mark-plain.ts'
import { hasWords, type Mask, type Part, type Piece } from './segment.ts'

/** A masked range of text, from `start` up to, not including, `end`. */
export type Break = { readonly start: number; readonly end: number; readonly isHard: boolean }

/** Lines of one paragraph. Its breaks are between lines, with the white space and prefixes next to them. */
export type Paragraph = { readonly text: string; readonly breaks: readonly Break[] }

/** Finds the masked ranges of a paragraph, in order and without overlaps. */
export type FindMasks = (text: string) => readonly MaskedRange[]

/** Ends a sentence, also after quotes, brackets and emphasis. */
const SENTENCE_END = /[.!?:;…。！？]["'”’»)\]*_~]*$/u

/** Makes segments of a paragraph; they end at lines that end a sentence, and at hard line breaks. */
export function splitProse({ text, breaks }: Paragraph, findMasks: FindMasks): Part[] {
  const starts = new Map(breaks.map((one) => [one.start, one]))
  const marks = mergeBreaks(findMasks(text), breaks)
  const parts: Part[] = []
  let pieces: Piece[] = []
  let masks: Mask[] = []
  let at = 0
  const end = () => {
    parts.push(...toParts(pieces, masks))
    pieces = []
    masks = []
  }
  const takeProse = (to: number) => {
    if (to > at) pieces.push(text.slice(at, to))
    at = to
  }
  for (const mark of marks) {
    takeProse(mark.start)
    const retained = text.slice(mark.start, mark.end)
    const lineBreak = starts.get(mark.start)
    if (lineBreak && (lineBreak.isHard || SENTENCE_END.test(text.slice(0, mark.start).slice(-12)))) {
      end()
      parts.push(retained)
    } else {
      pieces.push(masks.length)
      masks.push({
        text: retained,
        isOrdered: mark.isOrdered,
        hasSpaceBefore: /\s/.test(text[mark.start - 1] ?? ''),
        hasSpaceAfter: /\s/.test(text[mark.end] ?? ''),
      })
    }
    at = mark.end
  }
  takeProse(text.length)
  end()
  return parts
}

/** Breaks within a masked range, such as code over two lines, are part of it. */
function mergeBreaks(marks: readonly MaskedRange[], breaks: readonly Break[]): MaskedRange[] {
  const merged: MaskedRange[] = []
  let at = 0
  const all = [...marks, ...breaks.map(({ start, end }) => ({ start, end, isOrdered: true }))].sort(
    (one, other) => one.start - other.start || other.end - one.end,
  )
  for (const mark of all) {
    if (mark.end <= at) continue
    const start = Math.max(mark.start, at)
    const isBroken = breaks.some((one) => one.start >= start && one.end <= mark.end)
    merged.push({ start, end: mark.end, isOrdered: mark.isOrdered || isBroken })
    at = mark.end
  }
  return merged
}

/** White space at the ends stays outside of the segment, and so does text without words. */
function toParts(pieces: readonly Piece[], masks: readonly Mask[]): Part[] {
  const text = (from: number, to: number) =>
    pieces
      .slice(from, to)
      .map((piece) => (typeof piece === 'string' ? piece : (masks[piece]?.text ?? '')))
      .join('')
  if (!hasWords(pieces)) {
    const retained = text(0, pieces.length)
    return retained === '' ? [] : [retained]
  }
  // A line break at either end separates nothing.
  const isBreak = (piece: Piece | undefined) =>
    typeof piece === 'number' && /^\s*$/.test(masks[piece]?.text ?? '')
  if (isBreak(pieces.at(-1)))
    return [...toParts(pieces.slice(0, -1), masks.slice(0, -1)), text(pieces.length - 1, pieces.length)]
  const [first] = pieces
  const last = pieces.at(-1)
  const before = typeof first === 'string' ? (/^\s*/.exec(first)?.[0] ?? '') : ''
  const after = typeof last === 'string' ? (/\s*$/.exec(last)?.[0] ?? '') : ''
  const inner = [...pieces]
  if (typeof first === 'string') inner[0] = first.slice(before.length)
  const end = inner.at(-1)
  if (typeof end === 'string') inner[inner.length - 1] = end.slice(0, end.length - after.length)
  const segment = { pieces: inner.filter((piece) => piece !== ''), masks }
  return [before, segment, after].filter((part) => part !== '')
}

/** Paragraphs of plain text: a blank line ends one, and so does a short line, which is not wrapped. */
export function splitText(text: string): Part[] {
  const parts: Part[] = []
  let paragraph = ''
  let breaks: Break[] = []
  for (const [line = ''] of text.matchAll(/[^\r\n]*(?:\r\n|[\r\n]|$)/g)) {
    const content = line.replace(/[\r\n]+$/, '')
    const end = content.trimEnd().length
    const isHard = content.trim() === '' || content.length < MIN_WRAPPED_LENGTH
    paragraph += line
    if (line.length > end) {
      const start = paragraph.length - line.length + end
      breaks.push({ start, end: paragraph.length, isHard })
    }
    if (!isHard) continue
    parts.push(
      ...splitProse(
        { text: paragraph, breaks: breaks.filter(({ start }) => start < paragraph.length) },
        markPlain,
      ),
    )
    paragraph = ''
    breaks = []
  }
  parts.push(...splitProse({ text: paragraph, breaks }, markPlain))
  return parts
}

/** Minimum length of a line that may have been wrapped. */
const MIN_WRAPPED_LENGTH = 50
