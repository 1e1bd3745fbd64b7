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

/** Features of the main content: a continuous text with little prose around it is an article. */
export const insideFeatures: FeatureGroup = (view) => {
  const { counts, isInside, totalWords } = view
  const places = [...counts.keys()]
  const wordsWhere = (isCounted: (at: number) => boolean) =>
    sumOf(places.filter(isCounted).map((at) => counts[at] ?? 0))
  const [first, last] = [isInside.indexOf(true), isInside.lastIndexOf(true)]
  const words = wordsWhere((at) => isInside[at] ?? false)
  const prose = places.filter((at) => isProse(view, at))
  const inside = prose.filter((at) => isInside[at]).length
  const row = [
    words,
    inside,
    places.reduce((max, at) => (isInside[at] ? Math.max(max, counts[at] ?? 0) : max), 0),
    words /
      Math.max(
        1,
        wordsWhere((at) => at >= first && at <= last),
      ),
    wordsWhere((at) => at < first) / totalWords,
    wordsWhere((at) => at > last) / totalWords,
    inside / Math.max(1, prose.length),
    prose.length - inside,
    inside === 0 ? 0 : words / inside,
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
