import type { Block } from '../document/block.ts'
import { buildBlocks } from '../pdf/build-blocks.ts'
import { orderLines } from '../pdf/order-lines.ts'
import type { Word } from '../pdf/read-words.ts'
import type { Area } from './gray-image.ts'
import type { ReadPiece } from './place-words.ts'
import type { Rules } from './take-rules.ts'

/** Points of the usual size of text; the layout of pages is made for points. */
const POINTS = 10
/** Height of capitals and of small letters, in font sizes. */
const CAPITAL = 0.72
const SMALL = 0.53
const HAS_TALL = /[\p{Lu}\p{N}bdfhkltgpqy]/u
/** Sizes that differ less than this are measured wrongly. */
const MAX_ERROR = 1.18

/** The words of an image as blocks in reading order, with its tables. @param letter height of a letter, pixels */
export function layOutText(
  pieces: readonly ReadPiece[],
  {
    rules,
    panels,
    letter,
  }: { readonly rules: Rules; readonly panels: readonly Area[]; readonly letter: number },
): readonly Block[] {
  const scale = (POINTS * CAPITAL) / letter
  const words = pieces.flatMap(({ piece, words: found }): Word[] => {
    const text = found.map((word) => word.text).join('')
    const size = (piece.letter * scale) / (HAS_TALL.test(text) ? CAPITAL : SMALL)
    const isUsual = size < MAX_ERROR * POINTS && size > POINTS / MAX_ERROR
    return found.map((word) => ({
      text: word.text,
      left: word.left * scale,
      right: word.right * scale,
      baseline: piece.baseline * scale,
      href: null,
      isSpaced: false,
      size: isUsual ? POINTS : size,
      isBold: false,
      isItalic: false,
      isMono: false,
      isHidden: false,
      turns: 0,
    }))
  })
  const boxes = [...rules.across, ...rules.down, ...panels].map(({ left, right, top, bottom }) => ({
    left: left * scale,
    right: right * scale,
    top: top * scale,
    bottom: bottom * scale,
  }))
  return buildBlocks([orderLines(words, () => ({ boxes, dots: [] }))]).flat()
}
