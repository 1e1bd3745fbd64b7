import { type BoostedTrees, predict } from './boosted-trees.ts'
import type { ClassifiedPage } from './choose-pieces.ts'
import contentModel from './data/content-model.json' with { type: 'json' }
import { extractFeatures } from './extract-features.ts'
import { GROUPS } from './name-groups.ts'
import { type PageInput, preparePage } from './prepare-page.ts'
import { FAR } from './split-pieces.ts'

/**
 * Predicts how likely each piece of a page is content, with gradient-boosted trees trained by `npm run grow`
 * on pages that people had labelled (data/README.md).
 */
export function classifyPieces(known: PageInput): ClassifiedPage {
  const view = preparePage(known)
  const model: BoostedTrees = contentModel
  const probabilities = extractFeatures(view).map((features, at) =>
    isUnseen(known, at) ? 0 : predict(model, features),
  )
  const { pieces, isInArticle } = known
  const isText = known.pageType === 'article' && isInArticle.includes(true)
  return { pieces, isInArticle, isText, counts: view.counts, probabilities }
}

const HIDING = GROUPS.indexOf('hiding')

/** Whether a piece is hidden from readers, on a page that is not hidden as a whole. */
function isUnseen({ pieces, isInside }: PageInput, at: number): boolean {
  return !isInside[at] && (pieces[at]?.place.distances[HIDING] ?? FAR) < FAR
}
