import type { PieceGroup } from './find-groups.ts'
import { sumOf } from './prepare-page.ts'
import type { Piece } from './split-pieces.ts'

/** A list or table between two kept pieces needs this probability only, and a table or definition list next to one. */
const MIN_BETWEEN = 0.04
const MIN_BESIDE = 0.12
/** One with a larger share of link text leads elsewhere. */
const MAX_LINKS = 0.5
/** A list or table among paragraphs, all children of one element, of which most are kept needs this one. */
const MIN_AMONG = 0.15
/** Kept words that such paragraphs must have, and their share of all words of the paragraphs. */
const AMONG_WORDS = 60
const AMONG_SHARE = 0.8

type Chosen = {
  readonly pieces: readonly Piece[]
  readonly counts: readonly number[]
  readonly probabilities: readonly number[]
  readonly isChosen: readonly boolean[]
}

/** Keeps a list or table that continues kept text. */
export function keepNear(chosen: Chosen, groups: readonly PieceGroup[]): boolean[] {
  const { pieces, probabilities, isChosen } = chosen
  const extended = [...isChosen]
  const texts = findTexts(chosen)
  for (const { element, kind, members } of groups) {
    const [first = 0, last = 0] = [members[0], members.at(-1)]
    if (isChosen[first]) continue
    const probability = probabilities[first] ?? 0
    const sides = Number(isChosen[first - 1] === true) + Number(isChosen[last + 1] === true)
    const isNear =
      (sides === 2 || (sides === 1 && kind !== 'list')) &&
      probability >= (sides === 2 ? MIN_BETWEEN : MIN_BESIDE) &&
      linkShareOf(pieces, members) <= MAX_LINKS
    const isAmong = texts.has(element.parent) && probability >= MIN_AMONG
    if (isNear || isAmong) for (const at of members) extended[at] = true
  }
  return extended
}

/** The elements of whose paragraphs most are kept. */
function findTexts({ pieces, counts, isChosen }: Chosen): ReadonlySet<unknown> {
  const words = new Map<unknown, { kept: number; all: number }>()
  for (const [at, { block }] of pieces.entries()) {
    if (!('name' in block.element) || block.element.name !== 'p') continue
    const known = words.get(block.element.parent) ?? { kept: 0, all: 0 }
    known.all += counts[at] ?? 0
    if (isChosen[at]) known.kept += counts[at] ?? 0
    words.set(block.element.parent, known)
  }
  return new Set(
    [...words].flatMap(([element, { kept, all }]) =>
      kept >= AMONG_WORDS && kept >= AMONG_SHARE * all ? [element] : [],
    ),
  )
}

/** The share of link text in a list or table. */
export function linkShareOf(pieces: readonly Piece[], members: readonly number[]): number {
  const chars = sumOf(members.map((at) => pieces[at]?.text.length ?? 0))
  return sumOf(members.map((at) => pieces[at]?.linkChars ?? 0)) / Math.max(1, chars)
}
