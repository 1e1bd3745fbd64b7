import { isProse } from './order-features.ts'
import { type FeatureGroup, sumOf } from './prepare-page.ts'

/** Features of what Readability keeps: a continuous text with little prose around it is an article. */
export const articleFeatures: FeatureGroup = (view) => {
  const { counts, isInArticle, totalWords } = view
  const places = [...counts.keys()]
  const wordsWhere = (isCounted: (at: number) => boolean) =>
    sumOf(places.filter(isCounted).map((at) => counts[at] ?? 0))
  const [first, last] = [isInArticle.indexOf(true), isInArticle.lastIndexOf(true)]
  const words = wordsWhere((at) => isInArticle[at] ?? false)
  const prose = places.filter((at) => isProse(view, at))
  const taken = prose.filter((at) => isInArticle[at]).length
  const row = [
    words,
    taken,
    places.reduce((max, at) => (isInArticle[at] ? Math.max(max, counts[at] ?? 0) : max), 0),
    words /
      Math.max(
        1,
        wordsWhere((at) => at >= first && at <= last),
      ),
    wordsWhere((at) => at < first) / totalWords,
    wordsWhere((at) => at > last) / totalWords,
    taken / Math.max(1, prose.length),
    prose.length - taken,
    taken === 0 ? 0 : words / taken,
  ]
  return () => row
}
