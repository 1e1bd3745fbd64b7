import { linkShare, sizeIn } from '../extractors/measure-tree.ts'
import { PAGE_TYPES } from '../page-type.ts'
import { type FeatureGroup, sumOf } from './prepare-page.ts'

/** Features of the page: its type, and how far the extractors agree on its content. */
export const pageFeatures: FeatureGroup = (view) => {
  const { pieces, counts, totalWords, levels } = view
  const shareWhere = (isCounted: (at: number) => boolean) =>
    sumOf(counts.filter((_, at) => isCounted(at))) / totalWords
  const taken = shareWhere((at) => view.isInArticle[at] ?? false)
  const inside = shareWhere((at) => view.isInside[at] ?? false)
  const both = shareWhere((at) => (view.isInArticle[at] && view.isInside[at]) ?? false)
  const firstTitle = levels.indexOf(1)
  const row = [
    PAGE_TYPES.indexOf(view.pageType),
    totalWords,
    pieces.length,
    linkShare(sizeIn(view.sizes, view.tree)),
    taken,
    inside,
    both,
    (2 * both) / Math.max(1e-6, taken + inside),
    firstTitle < 0 ? -1 : firstTitle / pieces.length,
  ]
  return (at) => [...row, Number(view.isInArticle[at]), Number(view.isInside[at])]
}
