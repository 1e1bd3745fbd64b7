import type { Element } from 'domhandler'
import { findAround } from './choose-pieces.ts'
import { findElsewhere, isNamingPage } from './find-elsewhere.ts'
import { elementsAround } from './find-groups.ts'
import { findPrices, readMicrodataPrices } from './find-prices.ts'
import { addComments, addQuotes } from './keep-quotes.ts'
import { addRatings } from './keep-ratings.ts'
import { addRecipeLines } from './keep-recipes.ts'
import { findTornRows } from './keep-rows.ts'
import type { Found, Kept } from './kept-page.ts'

/** A heading that is less likely content belongs to something else. */
const MIN_HEADING = 0.03
/** Pieces after a heading in which its price is. */
const PRICE_REACH = 40
const MAX_PRICES = 3
/** Ancestors of a listing that may be the container of content. */
const LISTING_LEVELS = 4

/**
 * Adds what belongs to the kept pieces and costs a reader more than its words count: the heading of the page and of
 * kept sections, prices, declared ingredients and steps, code listings and captions.
 */
export function keepStructure(kept: Kept): boolean[] {
  const isElsewhere = findElsewhere(kept.page)
  const added = new Set<number>()
  const steps = [
    addRecipeLines,
    addTitle,
    addHeadings,
    addPrices,
    addListings,
    addRows,
    addQuotes,
    addComments,
    addRatings,
    addCaptions,
  ]
  for (const step of steps) {
    const isKept = kept.isKept.map((is, at) => is || added.has(at))
    for (const at of step({ ...kept, isKept, isElsewhere })) added.add(at)
  }
  return kept.isKept.map((is, at) => is || added.has(at))
}

/** The heading of level 1 that names the page, else the first one in the main content. */
function addTitle({ page, isKept, isElsewhere }: Found): number[] {
  const { pieces, isInside } = page
  const first = isKept.indexOf(true)
  const candidates = [...pieces.entries()].filter(
    ([at, piece]) => findAround(piece.block, 'h1') !== null && !isElsewhere[at],
  )
  const isNaming = (at: number) => isNamingPage(page, at)
  const named =
    candidates.find(([at]) => isNaming(at) && isInside[at]) ?? candidates.find(([at]) => isNaming(at))
  const chosen = named ?? candidates.find(([at]) => isInside[at] && (candidates.length === 1 || at <= first))
  if (chosen === undefined || first < 0) return []
  const heading = findAround(chosen[1].block, 'h1')
  return candidates.filter(([, piece]) => findAround(piece.block, 'h1') === heading).map(([at]) => at)
}

/** Headings whose section is kept. */
function addHeadings({ page, probabilities, isKept, isElsewhere }: Found): number[] {
  const { pieces, levels } = page
  const added: number[] = []
  for (let at = pieces.length - 2; at >= 0; at -= 1) {
    const piece = pieces[at]
    if (isKept[at] || piece === undefined || (levels[at] ?? 0) < 2 || isElsewhere[at]) continue
    const isFollowed =
      isKept[at + 1] === true && ((levels[at + 1] ?? 0) === 0 || (levels[at + 1] ?? 0) > (levels[at] ?? 0))
    if (isFollowed && (probabilities[at] ?? 0) >= MIN_HEADING) added.push(at)
  }
  return added
}

/** The declared prices of a product, and prices below a kept heading, up to the next one. */
function addPrices({ page, isKept, isElsewhere }: Found): number[] {
  const { pieces, levels, tree, declared, pageType } = page
  const prices = findPrices(pieces, isElsewhere)
  if (prices.size === 0) return []
  const added: number[] = []
  for (const [at, level] of levels.entries()) {
    if (level === 0 || !isKept[at]) continue
    let found = 0
    for (
      let next = at + 1;
      next <= at + PRICE_REACH && next < pieces.length && found < MAX_PRICES;
      next += 1
    ) {
      if ((levels[next] ?? 0) > 0) break
      if (!prices.has(next) && !(pageType === 'product' && RATING.test(pieces[next]?.text ?? ''))) continue
      added.push(next)
      found += 1
    }
  }
  const wanted = new Set([...declared.prices, ...readMicrodataPrices(tree)])
  if (
    wanted.size > 0 &&
    wanted.size <= MAX_DECLARED &&
    (pageType === 'product' || declared.prices.length > 0)
  ) {
    const named = [...prices].filter(([, amounts]) => amounts.some((amount) => wanted.has(amount)))
    added.push(...named.slice(0, MAX_PRICES).map(([at]) => at))
  }
  return added
}

const RATING = /^.{0,12}\d\s?(?:out of|\/)\s?5\b.{0,30}$/
/** More declared prices are those of a list of products. */
const MAX_DECLARED = 12

/** Code listings in a container with kept pieces. */
function addListings({ page, isKept, isElsewhere }: Found): number[] {
  const containers = new Set<object>()
  for (const [at, { block }] of page.pieces.entries())
    if (isKept[at]) for (const element of elementsAround(block)) containers.add(element)
  const isNear = (listing: Element) => {
    let parent = listing.parent
    for (let level = 0; level < LISTING_LEVELS && parent !== null; level += 1) {
      if (containers.has(parent)) return true
      parent = 'parent' in parent ? parent.parent : null
    }
    return false
  }
  return [...page.pieces.entries()].flatMap(([at, piece]) => {
    const listing = findAround(piece.block, 'pre')
    return listing !== null && !isElsewhere[at] && isNear(listing) ? [at] : []
  })
}

/** Rows of tables that arrange content. */
function addRows({ page, isKept }: Found): number[] {
  return findTornRows(page, isKept)
}

/** Captions next to kept pieces, if images are wanted. */
function addCaptions({ page, isKept, includeImages, isElsewhere }: Found): number[] {
  if (!includeImages) return []
  const isCaption = page.pieces.map(({ block }) => findAround(block, 'figcaption') !== null)
  const body = [...page.pieces.keys()].filter((at) => !isCaption[at])
  let next = 0
  return [...page.pieces.entries()].flatMap(([at]) => {
    if (!isCaption[at] || isElsewhere[at]) return []
    while (next < body.length && (body[next] ?? 0) < at) next += 1
    const sides = [body[next - 1], body[next]].map((other) => other !== undefined && isKept[other] === true)
    return (page.isInside[at] ? sides.includes(true) : !sides.includes(false)) ? [at] : []
  })
}
