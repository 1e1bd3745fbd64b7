import { articleAspect } from './article-aspect.ts'
import { declaredAspect } from './declared-aspect.ts'
import { orderAspect } from './order-aspect.ts'
import { pageAspect } from './page-aspect.ts'
import type { PageView } from './page-view.ts'
import { textAspect } from './text-aspect.ts'
import { treeAspect } from './tree-aspect.ts'

/** All feature groups, in the order in which the model was trained. */
const ASPECTS = [pageAspect, textAspect, orderAspect, treeAspect, declaredAspect, articleAspect]

/** Computes a feature vector for each piece of a page. */
export function describePieces(view: PageView): Float32Array[] {
  const aspects = ASPECTS.map((aspect) => aspect(view))
  return view.pieces.map((_, at) => Float32Array.from(aspects.flatMap((aspect) => aspect(at))))
}
