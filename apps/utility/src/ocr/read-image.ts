import { type ChosenWords, chooseWords, isMostlySure, isPlace } from '@tollbook/extract/ocr/choose-words'
import { composeLines } from '@tollbook/extract/ocr/compose-lines'
import { countLineLetters, isLine, looksLikeDocument } from '@tollbook/extract/ocr/find-lines'
import { type FoundText, findText } from '@tollbook/extract/ocr/find-text'
import { type GrayImage, widthOf } from '@tollbook/extract/ocr/gray-image'
import type { Piece } from '@tollbook/extract/ocr/group-letters'
import { layOutText } from '@tollbook/extract/ocr/lay-out-text'
import { placeWords, type ReadPiece, type RecognisedWord } from '@tollbook/extract/ocr/place-words'
import type { RecognisedText } from './open-ocr.ts'
import { resizeImage, turnImage, writePng } from './prepare-image.ts'

/** The recogniser, which may spend a limited time on an image in which no text is sure. */
export type Recogniser = {
  /** Recognises the words of an image whose lines are one under the other. */
  recognise(png: Buffer): Promise<readonly RecognisedWord[]>
  /** Time of the processor since the image came, ms. */
  spentMs(): number
}

/** Height that letters get, in pixels, and the scales that are possible. */
const LETTER = 30
const MAX_SCALE = 4
const MIN_SCALE = 0.25
/** Pixels of an enlarged image. */
const MAX_PIXELS = 24_000_000
/** Pieces by which it is decided whether an image has text, and in which direction. */
const SAMPLE = 14
/** Time of the processor for that, ms; and the pieces that are read before it is looked at again. */
const MAX_SAMPLE_MS = 1_500
const STEP = 4
/** Size of an image of which other directions are tried. */
const MAX_TRIED_SIDE = 1_200
/** Letters in lines of an image that is turned, as a share of those in lines as it is: with more, it may be on its side. */
const MIN_SIDE_SHARE = 0.5
/** Pieces of an image without text that is sure, such as a photograph with a sign, and the time for them, ms. */
const MAX_UNSURE = 40
const MAX_UNSURE_MS = 1_500
/** Pieces that are read together. */
const MAX_PIECES = 150

type Sample = { readonly found: FoundText; readonly enlarged: Enlarged; readonly read: readonly ReadPiece[] }
type Enlarged = { readonly image: GrayImage; readonly scale: number }
/** Pieces that are read together, and the time at which no more are begun. */
type Limits = { readonly step: number; readonly untilMs: number }

const NO_LIMITS: Limits = { step: MAX_PIECES, untilMs: Number.POSITIVE_INFINITY }

/** The text of an image as blocks; without any if no text is found. */
export async function readImage(image: GrayImage, recogniser: Recogniser): Promise<RecognisedText> {
  const upright = await findStraightText(image)
  const step = looksLikeDocument(upright.pieces) ? SAMPLE : STEP
  const sampling = { step, untilMs: recogniser.spentMs() + MAX_SAMPLE_MS }
  const first = await takeSample(upright, recogniser, sampling)
  if (!first) return NOTHING
  const sample = isSure(first) ? first : await findDirection(image, { first, recogniser, sampling })
  const { found, enlarged, read } = sample
  // Nothing of the longest pieces is text: the image is a photograph.
  const isPhoto = chooseWords(read, found.letter).pieces.length === 0
  if (isPhoto) return toText(chooseWords(read, found.letter), found)
  const isKnown = new Set(read.map(({ piece }) => piece))
  const rest = found.pieces.filter((piece) => !isKnown.has(piece))
  const wanted = isSure(sample) ? rest : byLength(rest.filter(isLine))
  const limits = isSure(sample) ? NO_LIMITS : { step: STEP, untilMs: recogniser.spentMs() + MAX_UNSURE_MS }
  const chosen = isSure(sample) ? wanted : wanted.slice(0, MAX_UNSURE)
  const more = await readPieces(chosen, { found, enlarged }, recogniser, limits)
  const ofPiece = new Map([...read, ...more].map((one) => [one.piece, one]))
  const ordered = found.pieces.flatMap((piece) => ofPiece.get(piece) ?? [])
  const words = chooseWords(ordered, found.letter)
  const left = wanted.slice(more.length).filter((piece) => isPlace(piece, found.letter)).length
  return toText({ ...words, unread: words.unread + left }, found)
}

const NOTHING: RecognisedText = { blocks: [], confidence: 0, uncertain: [], unread: 0 }

function toText({ pieces, confidence, uncertain, unread }: ChosenWords, found: FoundText): RecognisedText {
  if (pieces.length === 0) return { ...NOTHING, unread }
  return { blocks: layOutText(pieces, found), confidence, uncertain, unread }
}

async function findStraightText(image: GrayImage): Promise<FoundText> {
  const found = findText(image)
  return found.skew === 0 ? found : findText(await turnImage(image, -found.skew))
}

/** The longest lines of an image; null if it has none. */
async function takeSample(found: FoundText, recogniser: Recogniser, limits: Limits): Promise<Sample | null> {
  const pieces = byLength(found.pieces.filter(isLine)).slice(0, SAMPLE)
  if (pieces.length === 0) return null
  const enlarged = await enlarge(found)
  return { found, enlarged, read: await readPieces(pieces, { found, enlarged }, recogniser, limits) }
}

/** The image in the direction in which its text is sure; as it is, if there is none. */
async function findDirection(
  image: GrayImage,
  {
    first,
    recogniser,
    sampling,
  }: { readonly first: Sample; readonly recogniser: Recogniser; readonly sampling: Limits },
): Promise<Sample> {
  const isSpent = () => recogniser.spentMs() > sampling.untilMs
  if (isSpent()) return first
  const scale = Math.min(1, MAX_TRIED_SIDE / Math.max(image.width, image.height))
  const small = scale < 1 ? await resizeImage(image, scale) : image
  const side = await findStraightText(await turnImage(small, 90))
  const isOnSide =
    looksLikeDocument(side.pieces) &&
    countLineLetters(side.pieces) > MIN_SIDE_SHARE * countLineLetters(first.found.pieces)
  const turns = [...(isOnSide ? [90, 270] : []), ...(looksLikeDocument(first.found.pieces) ? [180] : [])]
  for (const degrees of turns) {
    if (isSpent()) break
    const found = degrees === 90 ? side : await findStraightText(await turnImage(small, degrees))
    const sample = await takeSample(found, recogniser, sampling)
    if (!sample || !isSure(sample)) continue
    if (scale === 1) return sample
    const large = await findStraightText(await turnImage(image, degrees))
    return (await takeSample(large, recogniser, NO_LIMITS)) ?? first
  }
  return first
}

function isSure({ read }: Sample): boolean {
  return isMostlySure(read)
}

function byLength(pieces: readonly Piece[]): Piece[] {
  return pieces.toSorted((one, other) => other.letters - one.letters || widthOf(other) - widthOf(one))
}

async function enlarge({ image, letter }: FoundText): Promise<Enlarged> {
  const max = Math.sqrt(MAX_PIXELS / (image.width * image.height))
  const scale = Math.min(max, MAX_SCALE, Math.max(MIN_SCALE, LETTER / letter))
  return { image: await resizeImage(image, scale), scale }
}

/** The pieces with their words, except those that the time did not suffice for. */
async function readPieces(
  pieces: readonly Piece[],
  { found, enlarged }: { readonly found: FoundText; readonly enlarged: Enlarged },
  { recognise, spentMs }: Recogniser,
  { step, untilMs }: Limits,
): Promise<readonly ReadPiece[]> {
  const read: ReadPiece[] = []
  for (let at = 0; at < pieces.length && spentMs() <= untilMs; at += step) {
    const { scale } = enlarged
    const part = pieces.slice(at, at + step)
    const { image, lines } = composeLines(enlarged.image, { pieces: part, scale, letter: found.letter })
    read.push(...placeWords(lines, await recognise(await writePng(image))))
  }
  return read
}
