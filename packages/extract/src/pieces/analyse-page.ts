import type { Document } from 'domhandler'
import { measureTree } from '../extractors/measure-tree.ts'
import { findSurroundings, type Surroundings } from '../extractors/surroundings.ts'
import type { DeclaredContent } from '../head/declared-content.ts'
import type { PageType } from '../page-type.ts'
import type { PageHead } from '../read-head.ts'
import type { PageInput } from './prepare-page.ts'
import { type Place, splitPieces } from './split-pieces.ts'

export type PageContext = {
  readonly url: string
  readonly head: PageHead
  readonly declared: DeclaredContent
  readonly pageType: PageType
}

/** Collects the inputs of the page's features; does not change the tree. */
export function analysePage(tree: Document, { url, head, declared, pageType }: PageContext): PageInput {
  const sizes = measureTree(tree)
  const pieces = splitPieces(tree)
  const surroundings = findSurroundings(tree, sizes)
  return {
    pieces,
    tree,
    sizes,
    pageType,
    types: head.types,
    address: new URL(url),
    title: head.title ?? '',
    description: head.description ?? '',
    declared,
    surroundings,
    isInside: pieces.map(({ place }) => isInside(place, surroundings)),
  }
}

function isInside(place: Place, { root, aside }: Surroundings): boolean {
  for (let up: Place | null = place; up !== null; up = up.above) {
    if ('attribs' in up.element && aside.has(up.element)) return false
    if (up.element === root) return true
  }
  return false
}
