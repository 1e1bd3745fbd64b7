import { articleFeatures } from './article-features.ts'
import { declaredFeatures } from './declared-features.ts'
import { orderFeatures } from './order-features.ts'
import { pageFeatures } from './page-features.ts'
import type { PreparedPage } from './prepare-page.ts'
import { textFeatures } from './text-features.ts'
import { treeFeatures } from './tree-features.ts'

/** All feature groups, in the order in which the model was trained. */
const FEATURE_GROUPS = [
  pageFeatures,
  textFeatures,
  orderFeatures,
  treeFeatures,
  declaredFeatures,
  articleFeatures,
]

/** Computes a feature vector for each piece of a page. */
export function extractFeatures(view: PreparedPage): Float32Array[] {
  const groups = FEATURE_GROUPS.map((group) => group(view))
  return view.pieces.map((_, at) => Float32Array.from(groups.flatMap((group) => group(at))))
}
