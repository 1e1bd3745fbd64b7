import { linkShare, sizeIn } from '../extractors/measure-tree.ts'
import { findSides } from './find-elsewhere.ts'
import { elementsAround } from './find-groups.ts'
import type { Found } from './kept-page.ts'
import type { PreparedPage } from './prepare-page.ts'
import { isInLines, shareOfLines } from './repeated-features.ts'
import type { Piece } from './split-pieces.ts'

/** A line of links leads to other recipes, unless it has a quantity. */
const MAX_LINE_LINKS = 0.9
/** Ancestors whose names may say that a piece is an ingredient. */
const LINE_LEVELS = 4
const INGREDIENT = /^(?:recipeIngredient|ingredients|recipeInstructions)$/
const INGREDIENTS = /ingredient/i
/** A piece with this share of its words in declared lines contains several of them, from this number of words on. */
const MIN_SHARE = 0.6
const MIN_WORDS = 10
/** Headings above ingredients. */
const HEADING =
  /^(?:the |main |les |los |gli |die )?(?:ingredients?|ingrédients?|ingredientes|ingredienti|ingrediente|ingrediënten|ingredienser|ingrediencie|zutaten|składniki|hozzávalók|suroviny|sastojci|sestavine|malzemeler|ainekset|ингредиенты|інгредієнти|съставки|υλικά|המרכיבים|מצרכים|المكونات|المقادير|材料|原料|재료)(?![\p{L}])/iu
const MAX_HEADING_CHARS = 60
/** Pieces below such a heading. */
const REACH = 80
/** A longer piece is prose. */
const MAX_LINE_CHARS = 120
/** A quantity at the start of a line. */
const QUANTITY = /^(?:\D{0,12}\s)?[\d½¼¾⅓⅔⅛]/u
/** A row with more words is more than an ingredient and its quantity. */
const MAX_ROW_WORDS = 14
const ROW_LEVELS = 2

/** Ingredients and steps of a recipe that the page declares or names, with the whole of their rows and lists. */
export function addRecipeLines({ page, groups, isElsewhere }: Found): number[] {
  const declared = isInLines(page)
  const shares = shareOfLines(page, MIN_WORDS)
  const isSide = findSides(page)
  const below = findBelowHeadings(page, isElsewhere)
  const isLine = page.pieces.map((piece, at) => {
    if (isSide[at]) return false
    const isLinked = (page.linkShares[at] ?? 0) > MAX_LINE_LINKS
    if (declared[at]) return !isLinked || /\d/.test(piece.text)
    if (isLinked) return !isElsewhere[at] && isIngredient(piece) && isInRow(page, piece)
    if ((shares[at] ?? 0) >= MIN_SHARE) return true
    return !isElsewhere[at] && (isIngredient(piece) || below.has(at))
  })
  const lists = groups.filter(
    ({ members }) => 2 * members.filter((at) => isLine[at]).length >= members.length,
  )
  const lines = [...isLine.keys()].filter((at) => isLine[at])
  const wanted = new Set(lines.flatMap((at) => rowOf(page, at)))
  return [
    ...lines,
    ...lists.flatMap(({ members }) => members),
    ...[...wanted].filter((at) => !isSide[at] && (page.linkShares[at] ?? 0) <= MAX_LINE_LINKS),
  ]
}

function isIngredient({ place }: Piece): boolean {
  let level = 0
  for (const { attribs } of elementsAround(place)) {
    if (INGREDIENT.test(attribs.itemprop ?? '') || INGREDIENTS.test(attribs.class ?? '')) return true
    level += 1
    if (level === LINE_LEVELS) break
  }
  return false
}

/** Whether a linked ingredient is in a row that has other text, such as its quantity. */
function isInRow({ sizes }: PreparedPage, { place }: Piece): boolean {
  let level = 0
  for (const element of elementsAround(place)) {
    const isNamedRow = INGREDIENTS.test(element.attribs.class ?? '')
    if (isNamedRow && linkShare(sizeIn(sizes, element)) <= MAX_LINE_LINKS) return true
    level += 1
    if (level === LINE_LEVELS) break
  }
  return false
}

/** The short lines between a heading of ingredients and the next heading, if most of them have quantities. */
function findBelowHeadings(page: PreparedPage, isElsewhere: readonly boolean[]): ReadonlySet<number> {
  const { pieces, levels, linkShares } = page
  const found = new Set<number>()
  for (const [at, { text }] of pieces.entries()) {
    if (text.length > MAX_HEADING_CHARS || !HEADING.test(text) || isElsewhere[at]) continue
    const level = levels[at] ?? 0
    const lines: number[] = []
    for (let next = at + 1; next < pieces.length && next <= at + REACH; next += 1) {
      const nextLevel = levels[next] ?? 0
      if (nextLevel > 0 && (level === 0 || nextLevel <= level)) break
      const length = pieces[next]?.text.length ?? 0
      if (length > MAX_LINE_CHARS || (linkShares[next] ?? 0) > MAX_LINE_LINKS) {
        if (lines.length > 0) break
        continue
      }
      lines.push(next)
    }
    const quantities = lines.filter((line) => QUANTITY.test(pieces[line]?.text ?? ''))
    const last = quantities.at(-1) ?? -1
    const upTo = lines.filter((line) => line <= last)
    if (quantities.length >= 2 && 3 * quantities.length >= upTo.length)
      for (const line of upTo) found.add(line)
  }
  return found
}

/** The pieces of the small element around a line: an ingredient and its quantity may be cells. */
function rowOf({ pieces, counts }: PreparedPage, at: number): readonly number[] {
  let up = pieces[at]?.block ?? null
  let row: readonly number[] = [at]
  for (let level = 0; level < ROW_LEVELS && up !== null; level += 1) {
    up = up.above
    if (up === null || !('attribs' in up.element)) break
    const { element } = up
    const isIn = (other: number) =>
      elementsAround(pieces[other]?.block ?? null).some((around) => around === element)
    let [from, to] = [at, at]
    while (from > 0 && at - from < 4 && isIn(from - 1)) from -= 1
    while (to < pieces.length - 1 && to - at < 4 && isIn(to + 1)) to += 1
    let words = 0
    for (let other = from; other <= to; other += 1) words += counts[other] ?? 0
    if (words > MAX_ROW_WORDS || to - from >= 4) break
    row = Array.from({ length: to - from + 1 }, (_, step) => from + step)
  }
  return row
}
