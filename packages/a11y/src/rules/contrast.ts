import type { Element } from 'domhandler'
import { factsOf } from '../aria/role-table.ts'
import { isDisabled } from '../aria/visibility.ts'
import { BLACK, type Colour, composite, toHex, WHITE } from '../colour/colour.ts'
import { contrastRatio } from '../colour/contrast-ratio.ts'
import type { Style } from '../css/computed-style.ts'
import { parseCssColour } from '../css/css-colour.ts'
import { splitTop } from '../css/properties.ts'
import type { PageModel } from '../page-model.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { closest, ownText, parentOf, selfAndAncestors, token, wordsOf } from '../tree/page-tree.ts'

/** The colours that may be behind a text, or the reason why they cannot be determined. */
type Backdrops =
  | { readonly reason: null; readonly colours: readonly Colour[] }
  | { readonly reason: string; readonly colours: readonly [] }

type Layers = {
  /** Composites the backgrounds of the ancestors and the element, starting from the white page. */
  readonly behind: (element: Element) => Backdrops
  /** The product of the opacities of the element and its ancestors. */
  readonly opacityOf: (element: Element) => number
}

/** Stacked gradients multiply the possible colours; above this the result is undetermined. */
const MAX_COLOURS = 64

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
  if (NOT_TEXT.has(element.name) || element.name === 'svg' || closest(element, 'svg')) return false
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
    const enclosing = closest(one, 'label')
    if (enclosing) labels.add(enclosing)
  }
  return labels
}

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

/** Computes and caches the backdrops of elements. */
function createLayers(page: PageModel): Layers {
  const opacities = new WeakMap<Element, number>()
  const cache = new WeakMap<Element, Backdrops>()
  const opacityOf = (element: Element): number => {
    const found = opacities.get(element)
    if (found !== undefined) return found
    const parent = parentOf(element)
    const opacity = page.styleOf(element).opacity * (parent ? opacityOf(parent) : 1)
    opacities.set(element, opacity)
    return opacity
  }
  const behind = (element: Element): Backdrops => {
    const found = cache.get(element)
    if (found) return found
    const parent = parentOf(element)
    const below = () => (parent ? behind(parent) : { reason: null, colours: [WHITE] })
    const backdrops = layOver(page.styleOf(element), opacityOf(element), below)
    cache.set(element, backdrops)
    return backdrops
  }
  return { behind, opacityOf }
}

/** @param below the backdrop of the parent; called only if the parent shows through */
function layOver(style: Style, opacity: number, below: () => Backdrops): Backdrops {
  const { background, backgroundImage } = style
  if (background === null) return unknown('The background colour cannot be determined without a browser.')
  if (isImage(backgroundImage)) return unknown('The text is, or may be, on top of an image.')
  const filter = style.get('filter')
  if (filter !== '' && filter !== 'none') return unknown('A filter changes the colours.')
  if (!/^(?:normal)?$/.test(style.get('mix-blend-mode')))
    return unknown('A blend mode mixes the colours with those below.')
  if (background.alpha === 1 && opacity === 1 && backgroundImage === 'none')
    return { reason: null, colours: [background] }
  if (/^(?:absolute|fixed|sticky)$/.test(style.get('position')))
    return unknown('The text is positioned over other content, and its own background is not opaque.')
  const under = below()
  if (under.reason !== null || (background.alpha === 0 && backgroundImage === 'none')) return under
  const painted = under.colours.map((back) => composite(fade(background, opacity), back))
  const stops = gradientColours(backgroundImage)
  if (stops === null) return unknown('A gradient has colours that cannot be determined without a browser.')
  if (stops.length === 0) return { reason: null, colours: painted }
  const colours = painted.flatMap((back) => stops.map((stop) => composite(fade(stop, opacity), back)))
  return colours.length > MAX_COLOURS ? unknown('Several gradients overlap.') : { reason: null, colours }
}

/** The colours of a shadow list. A shadow without a colour uses the text colour and adds nothing. */
function shadowColours(shadows: string): readonly Colour[] {
  if (shadows === '' || shadows === 'none') return []
  return splitTop(shadows, /,/).flatMap((shadow) => {
    const colours = splitTop(shadow, /\s/).map(parseCssColour)
    return colours.filter((colour) => colour !== null)
  })
}

function unknown(reason: string): Backdrops {
  return { reason, colours: [] }
}

function fade(colour: Colour, opacity: number): Colour {
  return { ...colour, alpha: colour.alpha * opacity }
}

function isImage(image: string): boolean {
  return /url\(|image-set\(|element\(|cross-fade\(|var\(/i.test(image)
}

/** The colours of the gradient stops; empty without a gradient, null if one cannot be parsed. */
function gradientColours(image: string): readonly Colour[] | null {
  if (image === 'none') return []
  const colours: Colour[] = []
  for (const layer of splitTop(image, /,/)) {
    const inside = /gradient\((.*)\)$/is.exec(layer.trim())?.[1]
    if (inside === undefined) continue
    for (const stop of splitTop(inside, /,/)) {
      if (isDirection(stop.trim())) continue
      const colour = parseCssColour(splitTop(stop, /\s/)[0] ?? '')
      if (colour === null) return null
      colours.push(colour)
    }
  }
  return colours
}

function isDirection(stop: string): boolean {
  return /^(?:to\s|-?[\d.]+(?:deg|turn|rad|grad|%|px)?\s*$|from\s|at\s|circle|ellipse|closest|farthest|in\s)/i.test(
    stop,
  )
}
