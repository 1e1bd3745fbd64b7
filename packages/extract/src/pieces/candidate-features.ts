import type { Document, Element } from 'domhandler'
import { linkShare, sizeIn } from '../extractors/measure-tree.ts'
import type { FeatureGroup, PreparedPage } from './prepare-page.ts'
import type { Place } from './split-pieces.ts'

/** A shorter paragraph earns its ancestors nothing. */
const MIN_CHARS = 25
/** Characters that earn a point, and the maximum of such points. */
const CHARS_A_POINT = 100
const MAX_LENGTH_POINTS = 3
/** Ancestors that share the points of a paragraph: the nth gets 1/n of them. */
const SHARING = 4
/** A sibling of the best candidate with this share of its points is part of the text. */
const SIBLING_SHARE = 0.2

type Scores = ReadonlyMap<Element | Document, number>

/**
 * Features of the element that contains most of the text: long paragraphs with commas earn points for their
 * ancestors, and links lose them, as in the readers of browsers.
 */
export const candidateFeatures: FeatureGroup = (view) => {
  const scores = scoreElements(view)
  let [best, max]: [Element | Document | null, number] = [null, 0]
  for (const [element, score] of scores) if (score > max) [best, max] = [element, score]
  return (at) => {
    const block = view.pieces[at]?.block ?? null
    let [near, below, sibling]: [number, number, number] = [0, -1, 0]
    let distance = 0
    for (let place: Place | null = block; place !== null; place = place.above) {
      const score = scores.get(place.element) ?? 0
      near = Math.max(near, score)
      if (place.element === best) below = distance
      else if (place.above?.element === bestParent(best) && score >= SIBLING_SHARE * max) sibling = 1
      distance += 1
    }
    return [below, sibling, max === 0 ? 0 : near / max, max]
  }
}

function bestParent(best: Element | Document | null): unknown {
  return best === null ? undefined : best.parent
}

function scoreElements(view: PreparedPage): Scores {
  const found = new Map<Element | Document, number>()
  for (const { block, text } of view.pieces) {
    if (text.length < MIN_CHARS) continue
    const points = 1 + countCommas(text) + Math.min(MAX_LENGTH_POINTS, text.length / CHARS_A_POINT)
    let place: Place | null = block.above
    for (let share = 1; share <= SHARING && place !== null; share += 1) {
      found.set(place.element, (found.get(place.element) ?? 0) + points / share)
      place = place.above
    }
  }
  for (const [element, score] of found)
    found.set(element, score * (1 - linkShare(sizeIn(view.sizes, element))))
  return found
}

function countCommas(text: string): number {
  return text.match(/[,،﹐︐﹑⹁⸴，、]/g)?.length ?? 0
}
