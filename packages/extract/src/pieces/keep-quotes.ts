import type { Element } from 'domhandler'
import { findAround } from './choose-pieces.ts'
import { elementsAround } from './find-groups.ts'
import type { Found } from './kept-page.ts'

/** A quotation or comments of which this share of the words is kept are kept whole. */
const MIN_QUOTE = 0.5
const MIN_COMMENTS = 0.34
/** A quotation between two kept pieces needs this probability only. */
const MIN_BETWEEN = 0.3
/** A longer quotation is a post of its own. */
const MAX_WORDS = 400
const COMMENT = /(?:^|\s)(?:comment[-_]?(?:body|content|text)|commtext|usertext-body)(?:$|\s)/i

/** The rest of quotations of which most is kept, and quotations between kept pieces. */
export function addQuotes({ page, probabilities, isKept, isElsewhere }: Found): number[] {
  const { pieces, counts } = page
  const quotes = Map.groupBy(pieces.keys(), (at) => findAround(pieces[at]?.block ?? null, 'blockquote'))
  return [...quotes].flatMap(([quote, members]) => {
    if (quote === null || members.every((at) => isKept[at])) return []
    const all = sumAt(counts, members)
    if (all > MAX_WORDS || members.some((at) => isElsewhere[at])) return []
    const retained = sumAt(
      counts,
      members.filter((at) => isKept[at]),
    )
    const [first = 0, last = 0] = [members[0], members.at(-1)]
    const isBetween = isKept[first - 1] === true && isKept[last + 1] === true
    const isLikely = members.every((at) => (probabilities[at] ?? 0) >= MIN_BETWEEN)
    return retained >= MIN_QUOTE * all || (isBetween && isLikely) ? members : []
  })
}

/** All comments, if a good part of them is kept. */
export function addComments({ page, isKept, isElsewhere }: Found): number[] {
  const { pieces, counts } = page
  const members = [...pieces.keys()].filter((at) => isComment(pieces[at]?.place ?? null) && !isElsewhere[at])
  const retained = members.filter((at) => isKept[at])
  return sumAt(counts, retained) >= MIN_COMMENTS * Math.max(1, sumAt(counts, members)) ? members : []
}

function isComment(place: Parameters<typeof elementsAround>[0]): boolean {
  return elementsAround(place).some(({ attribs }: Element) => COMMENT.test(attribs.class ?? ''))
}

function sumAt(counts: readonly number[], members: readonly number[]): number {
  return members.reduce((sum, at) => sum + (counts[at] ?? 0), 0)
}
