import { ProblemError } from '@tollbook/http/problem'
import { hasAllMasks, restoreSegment } from './document/restore.ts'
import { hasWords, type Piece, type Segment } from './document/segment.ts'
import type { LanguagePair } from './language/language-pair.ts'
import type { Pieces, TranslationBackend } from './translation-backend.ts'

type Options = { readonly pair: LanguagePair; readonly isMarkdown: boolean; readonly signal: AbortSignal }

/**
 * The texts of translated segments. If a backend lost, doubled or misplaced masks, the words between them are
 * translated separately, which reads worse and preserves everything.
 * @throws ProblemError
 */
export async function translateSegments(
  backend: Pick<TranslationBackend, 'translate'>,
  segments: readonly Segment[],
  { pair, isMarkdown, signal }: Options,
): Promise<string[]> {
  const whole = await ask(
    backend,
    segments.map(({ pieces }) => pieces),
    pair,
    signal,
  )
  const isBroken = (at: number) => {
    const [segment, translated] = [segments[at], whole[at]]
    return !segment || !translated || !hasAllMasks(translated, segment) || !hasWords(translated)
  }
  const broken = segments.flatMap((_, at) => (isBroken(at) ? at : []))
  const words = broken.flatMap((at) => segments[at]?.pieces.filter(isProse) ?? [])
  const alone = words.length === 0 ? [] : await ask(backend, words.map(toAlone), pair, signal)
  let next = 0
  const around = (piece: Piece): Piece => {
    if (!isProse(piece)) return piece
    const translated = (alone[next] ?? []).filter((one) => typeof one === 'string').join('')
    next += 1
    if (!/\p{L}|\p{N}/u.test(translated)) throw failed()
    const end = piece.trimEnd().length
    return `${/^\s*/.exec(piece)?.[0]}${translated.trim()}${piece.slice(end)}`
  }
  return segments.map((segment, at) => {
    const pieces = broken.includes(at) ? segment.pieces.map(around) : (whole[at] ?? [])
    return restoreSegment(pieces, segment, { isMarkdown })
  })
}

const isProse = (piece: Piece): piece is string => typeof piece === 'string' && hasWords([piece])
const toAlone = (piece: Piece): Pieces => (typeof piece === 'string' ? [piece.trim()] : [])

async function ask(
  backend: Pick<TranslationBackend, 'translate'>,
  segments: readonly Pieces[],
  pair: LanguagePair,
  signal: AbortSignal,
): Promise<readonly Pieces[]> {
  const translated = await backend.translate(segments, pair, signal)
  if (translated.length !== segments.length || lengthOf(translated) > 10 * lengthOf(segments) + 1_000)
    throw failed()
  return translated
}

const lengthOf = (segments: readonly Pieces[]) =>
  segments.flat().reduce<number>((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 0), 0)

function failed(): ProblemError {
  return new ProblemError({
    code: 'upstream_failed',
    detail: 'The translation backend did not answer with a translation.',
  })
}
