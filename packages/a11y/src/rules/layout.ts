import type { Element } from 'domhandler'
import { toDegrees } from '../colour/to-degrees.ts'
import { toPixels } from '../css/length.ts'
import { holdsOnScreen } from '../css/media.ts'
import type { StyleRule } from '../css/parse-sheet.ts'
import type { PageModel } from '../page-model.ts'
import { fail, type Outcome, pass, type Rule } from '../rule.ts'
import { descendantsOf, textOf } from '../tree/page-tree.ts'

const ORIENTATION = /\(\s*orientation\s*:\s*(?:portrait|landscape)\s*\)/i

/** The rotation that a CSS rule sets, degrees; null if it sets none. */
function turnOf({ declarations }: StyleRule): number | null {
  for (const { property, value } of declarations) {
    if (property === 'rotate') return toDegrees(value)
    if (property !== 'transform') continue
    const rotate = /rotate(?:z)?\(\s*([^)]+)\)/i.exec(value)?.[1]
    if (rotate !== undefined) return toDegrees(rotate)
    const matrix = /matrix(3d)?\(([^)]+)\)/i.exec(value)
    const [a = 1, b = 0] = (matrix?.[2] ?? '').split(',').map(Number)
    if (matrix) return (Math.atan2(b, a) * 180) / Math.PI
  }
  return null
}

/** Tolerance for a quarter turn, degrees. */
const SLACK_DEG = 1

function* checkOrientation(page: PageModel): Generator<Outcome> {
  const wholes = page.elements.filter(({ name }) => name === 'html' || name === 'body')
  for (const element of wholes) {
    if (!page.isRendered(element)) continue
    const own = page.styleRules.filter(({ selectors }) =>
      selectors.some(({ pseudo, matches }) => pseudo === null && matches(element)),
    )
    const always = own.filter(
      ({ media }) => media.every(holdsOnScreen) && !media.some((one) => ORIENTATION.test(one)),
    )
    const regularTurn = always.map(turnOf).findLast((turn) => turn !== null) ?? 0
    for (const rule of own.filter(({ media }) => media.some((one) => ORIENTATION.test(one)))) {
      const turn = turnOf(rule)
      if (turn === null) continue
      const difference = Math.abs((((turn - regularTurn) % 180) + 180) % 180)
      yield Math.abs(difference - 90) <= SLACK_DEG
        ? fail(element, 'A media query rotates the page by 90 degrees in one screen orientation.')
        : pass(element)
    }
  }
}

/** Typical font metrics: half an em per letter, 1.2 em per line. */
const [LETTER_EM, LINE_EM] = [0.5, 1.2]
/** A safety margin, since the size is estimated without layout. */
const SAFETY_FACTOR = 1.3

function* checkScrolling(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (!page.isVisible(element) || !isOverfull(element, page)) continue
    const isReached = page.isTabbable(element) || [...descendantsOf(element)].some(page.isTabbable)
    yield isReached
      ? pass(element)
      : fail(element, 'It scrolls, but the keyboard cannot reach it; add tabindex="0".')
  }
}

/** Whether a vertically scrolling box of fixed size contains more text than fits. */
function isOverfull(element: Element, page: PageModel): boolean {
  const style = page.styleOf(element)
  if (!/^(?:auto|scroll)$/.test(style.get('overflow-y'))) return false
  const base = { em: style.fontSize, hundredPercent: null }
  const [width, height] = [toPixels(style.get('width'), base), toPixels(style.get('height'), base)]
  if (!width || !height) return false
  const lines = Math.ceil((textOf(element).length * LETTER_EM * style.fontSize) / width)
  return lines * LINE_EM * style.fontSize > height * SAFETY_FACTOR
}

export const LAYOUT_RULES: readonly Rule[] = [
  {
    id: 'css-orientation-lock',
    impact: 'serious',
    criteria: ['1.3.4'],
    act: ['b33eff'],
    help: 'The page must be readable in portrait and landscape',
    check: checkOrientation,
  },
  {
    id: 'scrollable-region-focusable',
    impact: 'serious',
    criteria: ['2.1.1', '2.1.3'],
    act: ['0ssw9k'],
    help: 'Scrollable content must be reachable by keyboard',
    check: checkScrolling,
  },
]
