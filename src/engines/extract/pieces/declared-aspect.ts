import { wordsOf } from '../words.ts'
import type { Aspect } from './page-view.ts'

/** What a page declares itself to be: texts of one piece on one side, sites and pages of any kind on the other. */
const DECLARED: readonly RegExp[] = [
  /^article$/,
  /^(?:newsarticle|reportagenewsarticle)$/,
  /^blogposting$/,
  /^(?:website|webpage)$/,
]

const DATE = /\/(?:19|20)\d\d\/\d/
const ENDING = /\.\w{2,5}$/

/** What a page says of itself as a whole: the types it declares, and how its address is made. */
export const declaredAspect: Aspect = ({ types, address, title }) => {
  const { pathname, search } = address
  const parts = pathname.split('/').filter(Boolean)
  const last = (parts.at(-1) ?? '').replace(ENDING, '')
  // Texts are called after their titles, word by word.
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
