import { type Candidate, mostAgreed, toCandidate } from './candidate.ts'
import { extractByDefuddle } from './extractors/defuddle.ts'
import { extractByReadability } from './extractors/readability.ts'
import { stripBoilerplate } from './extractors/strip-boilerplate.ts'
import { guessPageType, type PageType } from './page-type.ts'
import { type PageHead, readHead } from './read-head.ts'
import { toReadableTree } from './readable-tree.ts'
import { likenessOf } from './words.ts'

export type ExtractedPage = Pick<Candidate, 'tree' | 'extractor'> & {
  readonly head: PageHead
  readonly pageType: PageType
}

export type ExtractOptions = {
  /** Whether what stands around the content is left out. */
  readonly isMainOnly: boolean
  /** Whether Defuddle may be asked, which takes seconds on some pages. */
  readonly mayTakeLong: boolean
}

/** Two extractors that agree so far have found the content, and the more careful of them is taken. */
const AGREEMENT = 0.8
/** What its authors call an article is one text, which Readability knows best. */
const AGREEMENT_OF_ARTICLE = 0.6
const ARTICLE = /(?:article|blogposting)$/
/** Where Defuddle is worth its time: pages with one text that is not written like an article. */
const ASKS_DEFUDDLE: ReadonlySet<PageType> = new Set(['product', 'documentation'])
/** Defuddle takes more than a second beyond this. */
const LONGEST_FOR_DEFUDDLE = 1_500_000

/** Finds the content of a page, or takes all of it. */
export function extractPage(html: string, url: string, options: ExtractOptions): ExtractedPage {
  const head = readHead(html, url)
  const whole = toReadableTree(html)
  const pageType = guessPageType(whole, { types: head.types, path: new URL(url).pathname })
  if (!options.isMainOnly) return { head, tree: whole, extractor: 'whole-page', pageType }
  const article = extractByReadability(html)
  const isArticle = pageType === 'article' && head.types.some((type) => ARTICLE.test(type))
  const found = { articleHtml: article.html, pageType, isArticle, mayTakeLong: options.mayTakeLong }
  const chosen = choose(html, url, found)
  const { tree, extractor } =
    chosen.bag.total > 0 ? chosen : { tree: whole, extractor: 'whole-page' as const }
  return { head: { ...head, byline: head.byline ?? article.byline }, tree, extractor, pageType }
}

type Found = {
  readonly articleHtml: string
  readonly pageType: PageType
  /** Whether its authors say so. */
  readonly isArticle: boolean
  readonly mayTakeLong: boolean
}

/**
 * Where Readability and our own rules agree, its article is the cleaner one. Where they do not, it took one piece of
 * a page of many, and ours is taken, or what most of three agree on.
 */
function choose(html: string, url: string, found: Found): Candidate {
  const { articleHtml, pageType, isArticle, mayTakeLong } = found
  const article = toCandidate('readability', articleHtml)
  const stripped = toCandidate('tollbook', stripBoilerplate(html))
  const least = isArticle ? AGREEMENT_OF_ARTICLE : AGREEMENT
  if (likenessOf(article.bag, stripped.bag) >= least) return article
  const isWorth = isArticle || ASKS_DEFUDDLE.has(pageType)
  if (!isWorth || !mayTakeLong || html.length > LONGEST_FOR_DEFUDDLE) return stripped
  return mostAgreed([stripped, toCandidate('defuddle', extractByDefuddle(html, url)), article])
}
