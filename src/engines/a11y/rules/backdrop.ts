import type { Element } from 'domhandler'
import { type Colour, composite, WHITE } from '../../colour/colour.ts'
import type { Style } from '../css/computed-style.ts'
import { parseCssColour } from '../css/css-colour.ts'
import { splitTop } from '../css/properties.ts'
import type { PageModel } from '../page-model.ts'
import { parentOf } from '../tree/page-tree.ts'

/** The colours that may lie behind a text, or why they cannot be told. */
export type Backdrops =
  | { readonly reason: null; readonly colours: readonly Colour[] }
  | { readonly reason: string; readonly colours: readonly [] }

/** Gradients over gradients multiply; beyond this nobody can say what is seen. */
const MAX_COLOURS = 64

export type Layers = {
  /** Lays the backgrounds of the element and its ancestors over each other, from the white page up. */
  readonly behind: (element: Element) => Backdrops
  /** The product of the opacities of the element and all around it. */
  readonly opacityOf: (element: Element) => number
}

/** Works out what lies behind elements, each once. */
export function createLayers(page: PageModel): Layers {
  const opacities = new WeakMap<Element, number>()
  const known = new WeakMap<Element, Backdrops>()
  const opacityOf = (element: Element): number => {
    const found = opacities.get(element)
    if (found !== undefined) return found
    const parent = parentOf(element)
    const opacity = page.styleOf(element).opacity * (parent ? opacityOf(parent) : 1)
    opacities.set(element, opacity)
    return opacity
  }
  const behind = (element: Element): Backdrops => {
    const found = known.get(element)
    if (found) return found
    const parent = parentOf(element)
    const below = () => (parent ? behind(parent) : { reason: null, colours: [WHITE] })
    const backdrops = layOver(page.styleOf(element), opacityOf(element), below)
    known.set(element, backdrops)
    return backdrops
  }
  return { behind, opacityOf }
}

/** @param below what lies behind the parent; asked for only where it shows through */
function layOver(style: Style, opacity: number, below: () => Backdrops): Backdrops {
  const { background, backgroundImage } = style
  if (background === null) return unknown('The background colour cannot be told without a browser.')
  if (isPicture(backgroundImage)) return unknown('The text lies over a picture, or may do so.')
  const filter = style.get('filter')
  if (filter !== '' && filter !== 'none') return unknown('A filter changes the colours.')
  if (!/^(?:normal)?$/.test(style.get('mix-blend-mode')))
    return unknown('Colours are blended with what is below.')
  if (background.alpha === 1 && opacity === 1 && backgroundImage === 'none')
    return { reason: null, colours: [background] }
  if (/^(?:absolute|fixed|sticky)$/.test(style.get('position')))
    return unknown('The text is placed over other content, and its own background is not opaque.')
  const under = below()
  if (under.reason !== null || (background.alpha === 0 && backgroundImage === 'none')) return under
  const painted = under.colours.map((back) => composite(fade(background, opacity), back))
  const stops = gradientColours(backgroundImage)
  if (stops === null) return unknown('A gradient has colours that cannot be told without a browser.')
  if (stops.length === 0) return { reason: null, colours: painted }
  const colours = painted.flatMap((back) => stops.map((stop) => composite(fade(stop, opacity), back)))
  return colours.length > MAX_COLOURS
    ? unknown('Several gradients lie over each other.')
    : { reason: null, colours }
}

/** The colours of a list of shadows; those without a colour of their own have that of the text and add nothing. */
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

function isPicture(image: string): boolean {
  return /url\(|image-set\(|element\(|cross-fade\(|var\(/i.test(image)
}

/** The colours at the stops; none without a gradient, null where one is not understood. */
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
