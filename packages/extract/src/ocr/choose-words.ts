import type { Piece } from './group-letters.ts'
import type { ReadPiece } from './place-words.ts'

/** What is left of the words that were recognised. */
export type ChosenWords = {
  readonly pieces: readonly ReadPiece[]
  /** Of the words that are left, 0 to 1; a long word counts more. */
  readonly confidence: number
  /** Words that are left and may be wrong. */
  readonly uncertain: readonly string[]
  /** Pieces that look like text, of which nothing is left. */
  readonly unread: number
}

/**
 * In photographs letters are found where there are none, with a confidence of 23 to 42 on average. A line is text if
 * it has a word of three letters or digits, or two of two, that are sure.
 */
const SURE = 75
const LIKELY = 50
/** In a document, of which most letters are sure, words are left that are less likely; they are named. */
const POSSIBLE = 20
const MIN_SURE_SHARE = 0.55
const MIN_SURE_LETTERS = 12

/** Leaves out what is no text. @param letter height of a letter that is usual, pixels */
export function chooseWords(read: readonly ReadPiece[], letter: number): ChosenWords {
  const isDocument = isMostlySure(read)
  const lines = isDocument ? [] : toLines(read)
  const isKept = (one: ReadPiece) => isDocument || lines.some((line) => line.includes(one) && isText(line))
  const pieces: ReadPiece[] = []
  let unread = 0
  for (const one of read) {
    const min = isDocument ? POSSIBLE : LIKELY
    const words = isKept(one)
      ? one.words.filter(({ text, confidence }) => confidence >= (hasLetter(text) ? min : SURE))
      : []
    if (words.length > 0) pieces.push({ piece: one.piece, words })
    else if (isPlace(one.piece, letter)) unread += 1
  }
  const words = pieces.flatMap((one) => one.words)
  const size = words.reduce((sum, { text }) => sum + text.length, 0)
  const confidence = words.reduce((sum, word) => sum + word.confidence * word.text.length, 0)
  return {
    pieces,
    confidence: size === 0 ? 0 : Math.round(confidence / size) / 100,
    uncertain: words.filter(isUncertain).map(({ text }) => text),
    unread,
  }
}

/** Whether a piece without words counts as unread: it has several letters, of about the usual height. */
export function isPlace(piece: Piece, letter: number): boolean {
  return piece.letters > 1 && piece.letter >= 0.6 * letter
}

function isUncertain({ text, confidence }: { readonly text: string; readonly confidence: number }): boolean {
  return hasLetter(text) && confidence < SURE
}

/** Whether most letters are of words that are sure, as in a document. */
export function isMostlySure(read: readonly ReadPiece[]): boolean {
  let [sure, all] = [0, 0]
  for (const { text, confidence } of read.flatMap(({ words }) => words)) {
    const count = countLetters(text)
    all += count
    if (confidence >= SURE && count > 1) sure += count
  }
  return sure >= MIN_SURE_LETTERS && sure >= MIN_SURE_SHARE * all
}

/** Pieces at one height. */
function toLines(read: readonly ReadPiece[]): ReadPiece[][] {
  const lines: ReadPiece[][] = []
  for (const one of read) {
    const line = lines.at(-1)
    const last = line?.[0]?.piece
    const isBeside =
      last && Math.abs(last.baseline - one.piece.baseline) < 0.5 * Math.min(last.letter, one.piece.letter)
    if (line && isBeside) line.push(one)
    else lines.push([one])
  }
  return lines
}

function isText(line: readonly ReadPiece[]): boolean {
  const sure = line
    .flatMap(({ words }) => words)
    .filter(({ confidence }) => confidence >= SURE)
    .map(({ text }) => countLetters(text))
    .filter((count) => count >= 2)
  return sure.length > 1 || sure.some((count) => count >= 3)
}

function hasLetter(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

function countLetters(text: string): number {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length
}
