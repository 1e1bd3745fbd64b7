import { rowsOf } from './choose-pieces.ts'
import type { Found } from './kept-page.ts'

/** Numbers of stars, from the top row down. */
const STARS = [5, 4, 3, 2, 1]
const SHARE = /\d\s?%|^\(?[\d.,]+\)?$/

/** Tables of how many customers gave each number of stars. */
export function addRatings({ page, groups, isElsewhere }: Found): number[] {
  const { pieces } = page
  return groups.flatMap(({ kind, members }) => {
    if (kind !== 'table' || members.some((at) => isElsewhere[at])) return []
    const rows = rowsOf(pieces, members).map((row) => row.map((at) => pieces[at]?.text ?? ''))
    if (rows.length !== STARS.length) return []
    const isRating = rows.every(
      ([label = '', ...others], at) =>
        Number(/\d+/.exec(label)?.[0]) === STARS[at] && others.some((text) => SHARE.test(text)),
    )
    return isRating ? members : []
  })
}
