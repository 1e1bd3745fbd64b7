import type { Element } from 'domhandler'
import { BLACK, composite, toHex } from '../../colour/colour.ts'
import { contrastRatio } from '../../colour/contrast-ratio.ts'
import { factsOf } from '../aria/role-table.ts'
import { isDisabled } from '../aria/visibility.ts'
import type { Style } from '../css/computed-style.ts'
import type { PageModel } from '../page-model.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { closest, ownText, selfAndAncestors, token, wordsOf } from '../tree/page-tree.ts'
import { createLayers, type Layers, shadowColours } from './backdrop.ts'

const SVG = new Set(['svg'])
/** The browser draws their text itself, or does not draw it in place. */
const NOT_TEXT = new Set([
  'option',
  'optgroup',
  'textarea',
  'select',
  'title',
  'datalist',
  'audio',
  'video',
  'canvas',
])
/** WCAG 2.2, "large scale": 18 point, or 14 point and bold; in px. */
const [LARGE_PX, LARGE_BOLD_PX, BOLD] = [24, (14 * 96) / 72, 700]
/** This many shadows surround the letters and become their background. */
const SURROUNDING_SHADOWS = 4

type Limits = { readonly normal: number; readonly large: number }

function* checkContrast(page: PageModel, limits: Limits): Generator<Outcome> {
  const exemptLabels = labelsOfDisabled(page)
  const layers = createLayers(page)
  for (const element of page.elements)
    if (hasReadText(element, page) && !isExempt(element, page, exemptLabels))
      yield checkElement(element, page, layers, limits)
}

function checkElement(element: Element, page: PageModel, layers: Layers, limits: Limits): Outcome {
  const style = page.styleOf(element)
  const limit = isLarge(style) ? limits.large : limits.normal
  const backdrops = layers.behind(element)
  if (backdrops.reason !== null) return review(element, backdrops.reason)
  if (style.colour === null) return review(element, 'The text colour cannot be determined without a browser.')
  const { colour } = style
  const shadows = shadowColours(style.textShadow)
  const behind = backdrops.colours.flatMap((back) => {
    const seen = shadows.map((shadow) => composite(shadow, back))
    return seen.length >= SURROUNDING_SHADOWS ? seen : [back, ...seen]
  })
  const alpha = colour.alpha * layers.opacityOf(element)
  const measured = behind.map((back) => {
    const front = composite({ ...colour, alpha }, back)
    return { front, back, ratio: contrastRatio(front, back) }
  })
  const best = measured.reduce((a, b) => (b.ratio > a.ratio ? b : a), { front: BLACK, back: BLACK, ratio: 0 })
  if (best.ratio >= limit) return pass(element)
  // Truncated, not rounded: 4.499 is not 4.50.
  const shown = (Math.floor(best.ratio * 100) / 100).toFixed(2)
  const message = `The contrast is ${shown}:1 (${toHex(best.front)} on ${toHex(best.back)}), below the required ${limit}:1.`
  return page.hasAllStyles
    ? fail(element, message)
    : review(element, `${message} A linked style sheet was not read.`)
}

function isLarge({ fontSize, fontWeight }: Style): boolean {
  // A tolerance of a hundredth of a px: 14 pt is 18.666… px.
  return fontSize >= LARGE_PX || (fontWeight >= BOLD && fontSize >= LARGE_BOLD_PX - 0.01)
}

/**
 * Text in a human language that is visible and exposed to screen readers. A single letter is a sign, such as
 * the X of a close button.
 */
function hasReadText(element: Element, page: PageModel): boolean {
  if (NOT_TEXT.has(element.name) || element.name === 'svg' || closest(element, SVG)) return false
  return /[\p{L}\p{N}]{2}/u.test(ownText(element)) && page.isExposed(element) && page.isVisible(element)
}

/** WCAG exempts disabled controls and their labels. */
function isExempt(element: Element, page: PageModel, exemptLabels: ReadonlySet<Element>): boolean {
  for (const one of selfAndAncestors(element)) {
    if (exemptLabels.has(one) || isDisabled(one)) return true
    if (token(one, 'aria-disabled') !== 'true') continue
    const role = page.roleOf(one)
    if (role === 'group' || factsOf(role)?.kind === 'widget') return true
  }
  return false
}

function labelsOfDisabled({ elements, tree }: PageModel): ReadonlySet<Element> {
  const labels = new Set<Element>()
  const off = elements.filter((one) => isDisabled(one) || token(one, 'aria-disabled') === 'true')
  for (const one of off) {
    for (const id of wordsOf(one, 'aria-labelledby'))
      for (const label of tree.byId.get(id) ?? []) labels.add(label)
    for (const label of tree.labelsFor.get(one.attribs.id ?? '') ?? []) labels.add(label)
    const enclosing = closest(one, LABEL)
    if (enclosing) labels.add(enclosing)
  }
  return labels
}

const LABEL = new Set(['label'])

export const CONTRAST_RULES: readonly Rule[] = [
  {
    id: 'color-contrast',
    impact: 'serious',
    criteria: ['1.4.3'],
    act: ['afw4f7'],
    help: 'Text must have enough contrast',
    check: (page) => checkContrast(page, { normal: 4.5, large: 3 }),
  },
  {
    id: 'color-contrast-enhanced',
    impact: 'serious',
    criteria: ['1.4.6'],
    act: ['09o5cg'],
    help: 'Text must have enhanced contrast',
    check: (page) => checkContrast(page, { normal: 7, large: 4.5 }),
  },
]
