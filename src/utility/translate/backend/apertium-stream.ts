import type { Piece } from '../document/segment.ts'
import type { Pieces } from '../translation-backend.ts'

/** Special characters of Apertium's stream (https://wiki.apertium.org/wiki/Apertium_stream_format). */
const SPECIAL = /[[\]{}^$/\\@<>]/g
const SENTENCE_END = /[.!?:;…][\s"'”’»)]*$/u
/** A mask, `[M3]`, and the end of a segment, `[T3]`; Apertium passes both through as blanks. */
const TOKEN = /\\([\s\S])|\[([MT])(\d+)\]|\[\]/gu

/** One stream of all segments. Each ends like a sentence, so that segments do not affect each other. */
export function toStream(segments: readonly Pieces[]): string {
  const texts = segments.map((pieces, number) => {
    const text = pieces
      .map((piece) => (typeof piece === 'number' ? `[M${piece}]` : piece.replace(SPECIAL, '\\$&')))
      .join('')
    return `${text}${isSentence(pieces) ? '' : '.[]'}[T${number}]`
  })
  return `${texts.join('\n')}\n`
}

const isSentence = (pieces: Pieces) => {
  const words = pieces.findLast((piece) => typeof piece === 'string')
  return typeof words === 'string' && SENTENCE_END.test(words)
}

/** The segments of a translated stream; null unless all are there, in order. */
export function fromStream(stream: string, segments: readonly Pieces[]): Pieces[] | null {
  const translated: Pieces[] = []
  let pieces: Piece[] = []
  let prose = ''
  let at = 0
  const endProse = () => {
    if (prose !== '') pieces.push(prose)
    prose = ''
  }
  for (const token of stream.matchAll(TOKEN)) {
    prose += stream.slice(at, token.index)
    at = token.index + token[0].length
    const [, escaped, kind, digits] = token
    const number = Number(digits)
    if (escaped !== undefined) prose += escaped
    else if (kind === 'M') {
      endProse()
      pieces.push(number)
    } else if (kind === 'T') {
      if (number !== translated.length) return null
      endProse()
      translated.push(isSentence(segments[number] ?? []) ? pieces : withoutPoint(pieces))
      pieces = []
    }
  }
  if (translated.length !== segments.length) return null
  return translated.map((one, number) => toSpelling(trimStart(one), segments[number] ?? []))
}

/** Removes the point that `toStream` added. */
function withoutPoint(pieces: readonly Piece[]): Piece[] {
  const last = pieces.at(-1)
  return typeof last === 'string' ? [...pieces.slice(0, -1), last.replace(/ ?\.$/, '')] : [...pieces]
}

/** The line break between two segments. */
function trimStart(pieces: Pieces): Pieces {
  const [first, ...rest] = pieces
  return typeof first === 'string' ? [first.trimStart(), ...rest] : pieces
}

/** Apertium capitalizes every sentence and puts blanks before some points: restores the original form. */
function toSpelling(pieces: Pieces, source: Pieces): Pieces {
  const isProse = (piece: Piece) => typeof piece === 'string' && /\p{L}/u.test(piece)
  const first = pieces.findIndex(isProse)
  const isSmall = /^\P{L}*\p{Ll}/u.test(String(source.find(isProse) ?? ''))
  const isSpaced = source.some((piece) => typeof piece === 'string' && / [,.;:!?]/.test(piece))
  return pieces.map((piece, at) => {
    if (typeof piece === 'number') return piece
    const prose = isSpaced ? piece : piece.replace(/ ([,.;:!?])/g, '$1')
    const isCapital = at === first && isSmall && /^\P{L}*\p{Lu}(?!\p{Lu})/u.test(prose)
    return isCapital ? prose.replace(/\p{Lu}/u, (letter) => letter.toLowerCase()) : prose
  })
}
