import type { Document } from 'domhandler'
import { type Sizes, sizeIn } from '../extractors/measure-tree.ts'
import type { Surroundings } from '../extractors/surroundings.ts'
import type { DeclaredContent } from '../head/declared-content.ts'
import type { PageType } from '../page-type.ts'
import { wordsOf } from '../words.ts'
import { findPhrases } from './phrases.ts'
import type { Piece, Place } from './split-pieces.ts'

export type PageInput = {
  readonly pieces: readonly Piece[]
  readonly tree: Document
  readonly sizes: Sizes
  readonly pageType: PageType
  /** The types that the page declares, in lower case. */
  readonly types: readonly string[]
  readonly address: URL
  readonly title: string
  readonly description: string
  /** What the page repeats of its content in its JSON-LD. */
  readonly declared: DeclaredContent
  readonly surroundings: Surroundings
  /** For each piece, whether it is inside the main content, without the boilerplate. */
  readonly isInside: readonly boolean[]
}

/** A page with per-piece counts that several feature groups share. */
export type PreparedPage = PageInput & {
  readonly words: readonly (readonly string[])[]
  readonly counts: readonly number[]
  readonly totalWords: number
  /** Characters of the page. */
  readonly chars: number
  /** Link share of each piece, 0 to 1. */
  readonly linkShares: readonly number[]
  /** Heading level 1 to 6 of each piece, 0 if it is not a heading. */
  readonly levels: readonly number[]
  /** `findPhrases` of each piece. */
  readonly phrases: readonly number[]
}

/** A feature group: returns a fixed number of features for the piece at an index. */
export type FeatureGroup = (view: PreparedPage) => (at: number) => readonly number[]

export function preparePage(known: PageInput): PreparedPage {
  const { pieces, sizes, tree } = known
  const words = pieces.map(({ text }) => wordsOf(text))
  const counts = words.map(({ length }) => length)
  return {
    ...known,
    words,
    counts,
    totalWords: Math.max(1, sumOf(counts)),
    chars: Math.max(1, sizeIn(sizes, tree).chars),
    linkShares: pieces.map(({ text, linkChars }) => Math.min(1, linkChars / text.length)),
    levels: pieces.map(({ block }) => levelOf(block)),
    phrases: pieces.map(({ text }) => findPhrases(text)),
  }
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function levelOf({ element }: Place): number {
  return 'name' in element ? Number(/^h([1-6])$/.exec(element.name)?.[1] ?? 0) : 0
}
