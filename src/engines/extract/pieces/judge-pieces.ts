import type { Judged } from './choose-pieces.ts'
import { FAR } from './cut-pieces.ts'
import contentForest from './data/content-forest.json' with { type: 'json' }
import { describePieces } from './describe-pieces.ts'
import { askForest, type Forest } from './forest.ts'
import { GROUPS } from './name-groups.ts'
import { type KnownPage, viewPage } from './page-view.ts'

/**
 * Predicts how likely each piece of a page is content, with gradient-boosted trees trained by `npm run grow`
 * on pages that people had labelled (data/README.md).
 */
export function judgePieces(known: KnownPage): Judged {
  const view = viewPage(known)
  const forest: Forest = contentForest
  const odds = describePieces(view).map((figures, at) =>
    isUnseen(known, at) ? 0 : askForest(forest, figures),
  )
  const { pieces, isInArticle } = known
  const isText = known.pageType === 'article' && isInArticle.includes(true)
  return { pieces, isInArticle, isText, counts: view.counts, odds }
}

const HIDING = GROUPS.indexOf('hiding')

/** Whether a piece is hidden from readers, on a page that is not hidden as a whole. */
function isUnseen({ pieces, isInside }: KnownPage, at: number): boolean {
  return !isInside[at] && (pieces[at]?.place.distances[HIDING] ?? FAR) < FAR
}
