import type { Transcript, TranscriptSegment, TranscriptWord } from '../transcriber.ts'
import { nameOfLanguage } from './languages.ts'
import type { WhisperPiece, WhisperResult } from './orders.ts'

type Timed = { readonly text: string; readonly start: number; readonly end: number }

/** Written without spaces between words: each token counts as a word (openai/whisper, whisper/tokenizer.py). */
const UNSPACED = ['zh', 'ja', 'th', 'lo', 'my', 'yue']
/** Sentence endings. */
const SENTENCE_END = /[.?!…。？！]["'”’)»]?$/
/** Chosen: the max time of a subtitle (BBC subtitle guidelines: 7 seconds are plenty). */
const MAX_SECONDS = 7
/** The replacement character, for incomplete bytes: a token may end within a character. */
const BROKEN = '\uFFFD'

/**
 * Converts whisper.cpp's output. If words are requested it returns tokens without its segments: then a
 * segment is a sentence.
 * @param seconds length of the whole recording; later times are cut to it
 */
export function toTranscript(
  { text, language, pieces }: WhisperResult,
  { seconds, needsWords }: { readonly seconds: number; readonly needsWords: boolean },
): Transcript {
  const timed = mend(pieces, text).map((piece) => toTimed(piece, seconds))
  const words = needsWords ? joinTokens(timed, UNSPACED.includes(language)) : []
  const segments: readonly TranscriptSegment[] = needsWords ? joinWords(words) : timed
  return {
    text: text.trim(),
    language: nameOfLanguage(language),
    segments,
    words: words.map(({ text: word, start, end }): TranscriptWord => ({ word: word.trim(), start, end })),
  }
}

/** Pieces with complete characters: incomplete ones are joined, and read from the whole text. */
function mend(pieces: readonly WhisperPiece[], whole: string): readonly WhisperPiece[] {
  const mended: WhisperPiece[] = []
  let place = 0
  let open: WhisperPiece | undefined
  const close = (end: number) => {
    if (open) mended.push({ ...open, text: whole.slice(place, end) })
    open = undefined
    place = end
  }
  for (const piece of pieces) {
    if (piece.text === '') continue
    const at = piece.text.includes(BROKEN) ? -1 : whole.indexOf(piece.text, place)
    if (at < 0) open = { text: '', t0: open?.t0 ?? piece.t0, t1: piece.t1 }
    else {
      close(at)
      mended.push(piece)
      place = at + piece.text.length
    }
  }
  close(whole.length)
  return mended
}

function toTimed({ text, t0, t1 }: WhisperPiece, seconds: number): Timed {
  const start = Math.min(Math.max(0, t0 / 1000), seconds)
  return { text, start, end: Math.max(start, Math.min(t1 / 1000, seconds)) }
}

/** A token that begins with a space begins a word. */
function joinTokens(tokens: readonly Timed[], isUnspaced: boolean): readonly Timed[] {
  const words: Timed[] = []
  for (const token of tokens) {
    const last = words.at(-1)
    if (last && !isUnspaced && !token.text.startsWith(' '))
      words[words.length - 1] = { ...last, text: last.text + token.text, end: token.end }
    else words.push(token)
  }
  return words
}

function joinWords(words: readonly Timed[]): readonly Timed[] {
  const segments: Timed[] = []
  for (const word of words) {
    const last = segments.at(-1)
    const goesOn = last && !SENTENCE_END.test(last.text) && word.end - last.start <= MAX_SECONDS
    if (goesOn) segments[segments.length - 1] = { ...last, text: last.text + word.text, end: word.end }
    else segments.push(word)
  }
  return segments
}
