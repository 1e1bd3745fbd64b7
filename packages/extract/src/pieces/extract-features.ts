import { linkShare, sizeIn } from '../extractors/measure-tree.ts'
import { PAGE_TYPES } from '../page-type.ts'
import { wordsOf } from '../words.ts'
import { candidateFeatures } from './candidate-features.ts'
import { declaredFeatures, insideFeatures } from './declared-features.ts'
import { groupFeatures } from './group-features.ts'
import { orderFeatures } from './order-features.ts'
import { toBits } from './phrases.ts'
import { type FeatureGroup, type PreparedPage, sumOf } from './prepare-page.ts'
import { repeatedFeatures } from './repeated-features.ts'
import { treeFeatures } from './tree-features.ts'

const textFeatures: FeatureGroup = (view) => {
  const titleWords = new Set(wordsOf(view.title))
  const descriptionWords = new Set(wordsOf(view.description))
  const times = new Map<string, number>()
  for (const { text } of view.pieces) times.set(text, (times.get(text) ?? 0) + 1)
  return (at) => {
    const piece = view.pieces[at]
    const [text, words] = [piece?.text ?? '', view.words[at] ?? []]
    const count = Math.max(1, words.length)
    return [
      words.length,
      text.length / count,
      view.linkShares[at] ?? 0,
      piece?.links ?? 0,
      shareOf(text, /\d/g),
      shareOf(text, /\p{Lu}/gu),
      endOf(text),
      countOf(text, /[,;]/g) / count,
      countOf(text, /[.!?](?:\s|$)/g),
      overlapOf(words, titleWords),
      overlapOf(words, descriptionWords),
      times.get(text) ?? 1,
      ...toBits(view.phrases[at] ?? 0),
    ]
  }
}

/** Features of the page: its type, its size, and how much of it is inside the main content. */
const pageFeatures: FeatureGroup = (view) => {
  const { pieces, counts, totalWords, levels } = view
  const shareWhere = (isCounted: (at: number) => boolean) =>
    sumOf(counts.filter((_, at) => isCounted(at))) / totalWords
  const inside = shareWhere((at) => view.isInside[at] ?? false)
  const firstTitle = levels.indexOf(1)
  const row = [
    PAGE_TYPES.indexOf(view.pageType),
    totalWords,
    pieces.length,
    linkShare(sizeIn(view.sizes, view.tree)),
    inside,
    firstTitle < 0 ? -1 : firstTitle / pieces.length,
  ]
  return (at) => [...row, Number(view.isInside[at])]
}

/** All feature groups, in the order in which the model was trained. */
const FEATURE_GROUPS = [
  pageFeatures,
  textFeatures,
  orderFeatures,
  treeFeatures,
  declaredFeatures,
  insideFeatures,
  groupFeatures,
  candidateFeatures,
  repeatedFeatures,
]

/** Computes a feature vector for each piece of a page. */
export function extractFeatures(view: PreparedPage): Float32Array[] {
  const groups = FEATURE_GROUPS.map((group) => group(view))
  return view.pieces.map((_, at) => Float32Array.from(groups.flatMap((group) => group(at))))
}

/** 2 if the text ends a sentence, 1 for other closing punctuation, else 0. */
function endOf(text: string): number {
  if (/[.!?]$/.test(text)) return 2
  return /[:"”’)]$/.test(text) ? 1 : 0
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function shareOf(text: string, pattern: RegExp): number {
  return countOf(text, pattern) / Math.max(1, text.length)
}

function overlapOf(words: readonly string[], others: ReadonlySet<string>): number {
  if (words.length === 0) return 0
  return words.filter((word) => others.has(word)).length / words.length
}
