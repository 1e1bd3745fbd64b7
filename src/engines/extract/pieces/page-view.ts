import type { Document } from 'domhandler'
import { type Sizes, sizeIn } from '../extractors/measure-tree.ts'
import type { PageType } from '../page-type.ts'
import { wordsOf } from '../words.ts'
import type { Piece, Place } from './cut-pieces.ts'
import { sayingsOf } from './sayings.ts'

/** What is known of a page before its pieces are judged. */
export type KnownPage = {
  readonly pieces: readonly Piece[]
  readonly tree: Document
  readonly sizes: Sizes
  readonly pageType: PageType
  /** The types that the page declares, in lower case. */
  readonly types: readonly string[]
  readonly address: URL
  readonly title: string
  readonly description: string
  /** Of each piece, whether Readability takes it for a part of the article. */
  readonly isInArticle: readonly boolean[]
  /** Of each piece, whether it stands inside of what surrounds the content. */
  readonly isInside: readonly boolean[]
}

/** A page with what is counted of each piece once. */
export type PageView = KnownPage & {
  readonly words: readonly (readonly string[])[]
  readonly counts: readonly number[]
  readonly totalWords: number
  /** Characters of the page. */
  readonly chars: number
  /** Share of each piece that is links, 0 to 1. */
  readonly linkShares: readonly number[]
  /** 1 to 6 for a heading, else 0. */
  readonly levels: readonly number[]
  /** `sayingsOf` each. */
  readonly sayings: readonly number[]
}

/** Figures of each piece, always as many. */
export type Aspect = (view: PageView) => (at: number) => readonly number[]

export function viewPage(known: KnownPage): PageView {
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
    sayings: pieces.map(({ text }) => sayingsOf(text)),
  }
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function levelOf({ element }: Place): number {
  return 'name' in element ? Number(/^h([1-6])$/.exec(element.name)?.[1] ?? 0) : 0
}
