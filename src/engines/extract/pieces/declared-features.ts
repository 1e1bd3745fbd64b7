import { wordsOf } from '../words.ts'
import { isProse } from './order-features.ts'
import { type FeatureGroup, sumOf } from './prepare-page.ts'

/** Declared types: articles on one side, sites and pages of any kind on the other. */
const DECLARED: readonly RegExp[] = [
  /^article$/,
  /^(?:newsarticle|reportagenewsarticle)$/,
  /^blogposting$/,
  /^(?:website|webpage)$/,
]

const DATE = /\/(?:19|20)\d\d\/\d/
const ENDING = /\.\w{2,5}$/

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

/** Features of the page as a whole: the types it declares and the form of its URL. */
export const declaredFeatures: FeatureGroup = ({ types, address, title }) => {
  const { pathname, search } = address
  const parts = pathname.split('/').filter(Boolean)
  const last = (parts.at(-1) ?? '').replace(ENDING, '')
  // The slug of an article usually repeats its title.
  const slug = last.split(/[-_+]|%20/).filter((word) => /[a-z]/i.test(word))
  const titleWords = new Set(wordsOf(title))
  const shared = slug.filter((word) => titleWords.has(word.toLowerCase())).length
  const row = [
    ...DECLARED.map((pattern) => Number(types.some((type) => pattern.test(type)))),
    types.length,
    parts.length,
    slug.length,
    last.length,
    pathname.match(/\d/g)?.length ?? 0,
    Number(DATE.test(pathname)),
    Number(ENDING.test(pathname)),
    Number(search !== ''),
    slug.length === 0 ? 0 : shared / slug.length,
    titleWords.size,
  ]
  return () => row
}
