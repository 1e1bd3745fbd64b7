import type { Document, Element } from 'domhandler'
import { markArticle } from '../extractors/mark-article.ts'
import { measureTree } from '../extractors/measure-tree.ts'
import { findSurroundings, type Surroundings } from '../extractors/surroundings.ts'
import type { PageType } from '../page-type.ts'
import type { PageHead } from '../read-head.ts'
import type { PageInput } from './prepare-page.ts'
import { type Piece, type Place, splitPieces } from './split-pieces.ts'

export type PageAnalysis = {
  readonly page: PageInput
  /** The elements that Readability keeps. */
  readonly taken: ReadonlySet<Element>
  readonly byline: string | null
}

export type PageContext = {
  readonly url: string
  readonly head: PageHead
  readonly pageType: PageType
}

/** Collects the inputs of the page's features; does not change the tree. */
export function analysePage(tree: Document, { url, head, pageType }: PageContext): PageAnalysis {
  const sizes = measureTree(tree)
  const pieces = splitPieces(tree)
  const surroundings = findSurroundings(tree, sizes)
  const article = markArticle(tree, head.title ?? '')
  const taken = article?.taken ?? new Set()
  const inside = pieces.map(({ place }) => isInside(place, surroundings))
  const page = {
    pieces,
    tree,
    sizes,
    pageType,
    types: head.types,
    address: new URL(url),
    title: head.title ?? '',
    description: head.description ?? '',
    isInArticle: article === null ? inside : pieces.map((piece) => isTaken(piece, taken)),
    isInside: inside,
  }
  return { page, taken, byline: article?.byline ?? null }
}

function isTaken({ nodes }: Piece, taken: ReadonlySet<Element>): boolean {
  return nodes.some((node) => {
    const { parent } = node
    const isBlank = 'data' in node && node.data.trim() === ''
    return !isBlank && parent !== null && 'attribs' in parent && taken.has(parent)
  })
}

function isInside(place: Place, { root, aside }: Surroundings): boolean {
  for (let up: Place | null = place; up !== null; up = up.above) {
    if ('attribs' in up.element && aside.has(up.element)) return false
    if (up.element === root) return true
  }
  return false
}
