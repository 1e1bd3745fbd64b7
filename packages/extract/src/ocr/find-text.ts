import { eraseRules } from './erase-rules.ts'
import { findInk, turnPanels } from './find-ink.ts'
import { findSkew } from './find-skew.ts'
import { findSpecks } from './find-specks.ts'
import type { Area, GrayImage } from './gray-image.ts'
import { findLetterHeight, groupLetters, type Piece } from './group-letters.ts'
import { type Rules, takeRules } from './take-rules.ts'

/** Where text may be in an image. */
export type FoundText = {
  /** Without rules, and with dark text on light paper. */
  readonly image: GrayImage
  /** From top to bottom. */
  readonly pieces: readonly Piece[]
  readonly rules: Rules
  /** Dark backgrounds of light text. */
  readonly panels: readonly Area[]
  /** Height of a letter that is usual, pixels; 0 if there is no text. */
  readonly letter: number
  /** Degrees by which its lines are turned clockwise. */
  readonly skew: number
}

/** A first guess, before rules can be told from strokes. */
const GUESS = 14

/** Finds what looks like text: rows of shapes of about one height. */
export function findText(original: GrayImage): FoundText {
  const { image, panels } = turnPanels(original)
  const ink = findInk(image)
  // Rules that touch each other are one speck, which is no letter.
  const guess = findLetterHeight(findSpecks(ink)) || GUESS
  const { rules: all, mask } = takeRules(image, ink, guess)
  const rules = withoutEdges(all, panels)
  const specks = findSpecks(mask)
  const letter = findLetterHeight(specks)
  if (letter === 0) return { image, pieces: [], rules, panels, letter, skew: 0 }
  const pieces = groupLetters(specks, letter, rules).sort(
    (one, other) => one.baseline - other.baseline || one.left - other.left,
  )
  const isLetter = ({ top, bottom }: Area) => bottom - top > 0.5 * letter && bottom - top < 2 * letter
  return {
    image: eraseRules(image, all),
    pieces,
    rules,
    panels,
    letter,
    skew: findSkew(specks.filter(isLetter), letter),
  }
}

/** Pixels by which an edge of a panel may be beside it. */
const NEAR = 3

/** Rules without the edges of panels, and the hairlines between the cells of one. */
function withoutEdges({ across, down }: Rules, panels: readonly Area[]): Rules {
  return {
    across: across.filter(
      (rule) =>
        !panels.some(({ top, bottom }) => [top, bottom].some((edge) => Math.abs(rule.top - edge) <= NEAR)),
    ),
    down: down.filter(
      (rule) => !panels.some(({ top, bottom }) => rule.top >= top - NEAR && rule.bottom <= bottom + NEAR),
    ),
  }
}
