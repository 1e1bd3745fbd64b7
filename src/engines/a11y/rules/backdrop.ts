import type { Element } from 'domhandler'
import { type Colour, composite, WHITE } from '../../colour/colour.ts'
import type { Style } from '../css/computed-style.ts'
import { parseCssColour } from '../css/css-colour.ts'
import { splitTop } from '../css/properties.ts'
import type { PageModel } from '../page-model.ts'
import { parentOf } from '../tree/page-tree.ts'

/** The colours that may be behind a text, or the reason why they cannot be determined. */
export type Backdrops =
  | { readonly reason: null; readonly colours: readonly Colour[] }
  | { readonly reason: string; readonly colours: readonly [] }

/** Stacked gradients multiply the possible colours; above this the result is undetermined. */
const MAX_COLOURS = 64

export type Layers = {
  /** Composites the backgrounds of the ancestors and the element, starting from the white page. */
  readonly behind: (element: Element) => Backdrops
  /** The product of the opacities of the element and its ancestors. */
  readonly opacityOf: (element: Element) => number
}

/** Computes and caches the backdrops of elements. */
export function createLayers(page: PageModel): Layers {
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
export function shadowColours(shadows: string): readonly Colour[] {
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
