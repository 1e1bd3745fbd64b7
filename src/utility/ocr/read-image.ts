import { type ChosenWords, chooseWords, isMostlySure } from '../../engines/ocr/choose-words.ts'
import { composeLines } from '../../engines/ocr/compose-lines.ts'
import { type FoundText, findText } from '../../engines/ocr/find-text.ts'
import { type GrayImage, widthOf } from '../../engines/ocr/gray-image.ts'
import type { Piece } from '../../engines/ocr/group-letters.ts'
import { layOutText } from '../../engines/ocr/lay-out-text.ts'
import { placeWords, type ReadPiece, type RecognisedWord } from '../../engines/ocr/place-words.ts'
import type { RecognisedText } from './open-ocr.ts'
import { resizeImage, turnImage, writePng } from './prepare-image.ts'

/** Recognises the words of an image whose lines are one under the other. */
export type Recognise = (png: Buffer) => Promise<readonly RecognisedWord[]>

/** Height that letters get, in pixels, and the scales that are possible. */
const LETTER = 30
const MAX_SCALE = 4
const MIN_SCALE = 0.25
/** Pixels of an enlarged image. */
const MAX_PIXELS = 24_000_000
/** Pieces by which it is decided whether an image has text, and in which direction. */
const SAMPLE = 14
/** Other directions, in degrees, that are tried with an image of this size if the first has no text that is sure. */
const TURNS = [90, 270, 180]
const MAX_TRIED_SIDE = 1_200
/** Pieces of an image without text that is sure, such as a photograph with a sign. */
const MAX_UNSURE = 40
/** Pieces that are read together. */
const MAX_PIECES = 150

type Sample = { readonly found: FoundText; readonly enlarged: Enlarged; readonly read: readonly ReadPiece[] }
type Enlarged = { readonly image: GrayImage; readonly scale: number }

/** The text of an image as blocks; without any if no text is found. */
export async function readImage(image: GrayImage, recognise: Recognise): Promise<RecognisedText> {
  const first = await takeSample(image, recognise)
  if (!first) return NOTHING
  const { found, enlarged, read } = isSure(first) ? first : await findDirection(image, first, recognise)
  // Nothing of the longest pieces is text: the image is a photograph.
  const isPhoto = chooseWords(read, found.letter).pieces.length === 0
  if (isPhoto) return toText(chooseWords(read, found.letter), found)
  const isKnown = new Set(read.map(({ piece }) => piece))
  const rest = found.pieces.filter((piece) => !isKnown.has(piece))
  const chosen = isMostlySure(read) ? rest : byLength(rest).slice(0, MAX_UNSURE)
  const all = [...read, ...(await readPieces(chosen, { found, enlarged }, recognise))]
  const ofPiece = new Map(all.map((one) => [one.piece, one]))
  const ordered = found.pieces.flatMap((piece) => ofPiece.get(piece) ?? [])
  return toText(chooseWords(ordered, found.letter), found)
}

const NOTHING: RecognisedText = { blocks: [], confidence: 0, uncertain: [], unread: 0 }

function toText({ pieces, confidence, uncertain, unread }: ChosenWords, found: FoundText): RecognisedText {
  if (pieces.length === 0) return { ...NOTHING, unread }
  return { blocks: layOutText(pieces, found), confidence, uncertain, unread }
}

/** The longest pieces of an image; null if it has none. */
async function takeSample(image: GrayImage, recognise: Recognise): Promise<Sample | null> {
  let found = findText(image)
  if (found.skew !== 0) found = findText(await turnImage(image, -found.skew))
  if (found.pieces.length === 0) return null
  const enlarged = await enlarge(found)
  const read = await readPieces(byLength(found.pieces).slice(0, SAMPLE), { found, enlarged }, recognise)
  return { found, enlarged, read }
}

/** The image in the direction in which its text is sure; as it is, if there is none. */
async function findDirection(image: GrayImage, first: Sample, recognise: Recognise): Promise<Sample> {
  const scale = Math.min(1, MAX_TRIED_SIDE / Math.max(image.width, image.height))
  const small = scale < 1 ? await resizeImage(image, scale) : image
  for (const degrees of TURNS) {
    const sample = await takeSample(await turnImage(small, degrees), recognise)
    if (sample && isSure(sample))
      return scale < 1 ? ((await takeSample(await turnImage(image, degrees), recognise)) ?? first) : sample
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

async function readPieces(
  pieces: readonly Piece[],
  { found, enlarged }: { readonly found: FoundText; readonly enlarged: Enlarged },
  recognise: Recognise,
): Promise<readonly ReadPiece[]> {
  const read: ReadPiece[] = []
  for (let at = 0; at < pieces.length; at += MAX_PIECES) {
    const { scale } = enlarged
    const part = pieces.slice(at, at + MAX_PIECES)
    const { image, lines } = composeLines(enlarged.image, { pieces: part, scale, letter: found.letter })
    read.push(...placeWords(lines, await recognise(await writePng(image))))
  }
  return read
}
