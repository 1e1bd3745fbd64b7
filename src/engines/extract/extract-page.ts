import type { Document } from 'domhandler'
import { guessPageType, type PageType } from './page-type.ts'
import { chooseArticle, choosePieces } from './pieces/choose-pieces.ts'
import { judgePieces } from './pieces/judge-pieces.ts'
import { keepPieces } from './pieces/keep-pieces.ts'
import { knowPage } from './pieces/know-page.ts'
import { type PageHead, readHead } from './read-head.ts'
import { toReadableTree } from './readable-tree.ts'

export const EXTRACTORS = ['tollbook', 'readability', 'whole-page'] as const

export type ExtractedPage = {
  readonly tree: Document
  /** The extractor that found the content. */
  readonly extractor: (typeof EXTRACTORS)[number]
  readonly head: PageHead
  readonly pageType: PageType
}

export type ExtractOptions = {
  /** Whether boilerplate around the content is dropped. */
  readonly isMainOnly: boolean
}

/** Extracts the content of a page, or returns the whole page. */
export function extractPage(html: string, url: string, { isMainOnly }: ExtractOptions): ExtractedPage {
  const head = readHead(html, url)
  const tree = toReadableTree(html)
  const pageType = guessPageType(tree, { types: head.types, path: new URL(url).pathname })
  if (!isMainOnly) return { head, tree, extractor: 'whole-page', pageType }
  const { page, taken, byline } = knowPage(tree, { url, head, pageType })
  const judged = judgePieces(page)
  const isArticle = judged.isText && head.types.some((type) => ARTICLE.test(type))
  const article = isArticle ? chooseArticle(judged) : null
  const isKept = article ?? choosePieces(judged)
  const known = { ...head, byline: head.byline ?? byline }
  if (!isKept.includes(true)) return { head: known, tree, extractor: 'whole-page', pageType }
  keepPieces(tree, { pieces: page.pieces, isKept, taken })
  return { head: known, tree, extractor: article === null ? 'tollbook' : 'readability', pageType }
}

/** Types that only articles declare; every second page has an Open Graph type of article. */
const ARTICLE = /(?:newsarticle|blogposting)$/
