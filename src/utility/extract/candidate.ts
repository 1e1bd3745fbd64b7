import { readBlocks } from './document/read-blocks.ts'
import { writeText } from './document/write-text.ts'
import { type HtmlElement, type HtmlTree, parseTree } from './html-tree.ts'
import { likenessOf, toWordBag, type WordBag } from './words.ts'

export type Extractor = 'readability' | 'defuddle' | 'tollbook' | 'whole-page'

/** What one extractor takes for the content of a page. */
export type Candidate = {
  readonly extractor: Extractor
  readonly tree: HtmlElement | HtmlTree
  readonly bag: WordBag
}

export function toCandidate(extractor: Extractor, content: string | HtmlElement | HtmlTree): Candidate {
  const tree = typeof content === 'string' ? parseTree(content) : content
  return { extractor, tree, bag: toWordBag(writeText(readBlocks(tree, TEXT_ONLY))) }
}

const TEXT_ONLY = { includeLinks: false, includeImages: false }

/** The candidate that is most like the others; of equals the first. */
export function mostAgreed(candidates: readonly [Candidate, ...Candidate[]]): Candidate {
  const agreement = (one: Candidate) =>
    candidates.reduce((sum, other) => (other === one ? sum : sum + likenessOf(one.bag, other.bag)), 0)
  return candidates.reduce(
    (best, other) => (agreement(other) > agreement(best) ? other : best),
    candidates[0],
  )
}
