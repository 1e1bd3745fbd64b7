import type { Element } from 'domhandler'
import { BLACK, type Colour } from '../colour/colour.ts'
import { parentOf } from '../tree/page-tree.ts'
import { browserDefault } from './browser-defaults.ts'
import type { Cascade, Declared } from './cascade.ts'
import { parseCssColour } from './css-colour.ts'
import { toPixels } from './length.ts'

/** The computed values of an element, as far as they can be determined without layout. */
export type Style = {
  /** The winning declarations of the cascade, as written. */
  readonly declared: ReadonlyMap<string, Declared>
  /** Custom properties, including inherited ones. */
  readonly variables: ReadonlyMap<string, string>
  readonly display: string
  readonly visibility: string
  /** Null if it cannot be determined: an unknown variable or colour space. */
  readonly colour: Colour | null
  readonly background: Colour | null
  /** `none`, or the images as written. */
  readonly backgroundImage: string
  readonly opacity: number
  /** Px. */
  readonly fontSize: number
  /** 1 to 1000. */
  readonly fontWeight: number
  readonly fontFamily: string
  /** Px; null if it cannot be determined. */
  readonly letterSpacing: number | null
  readonly wordSpacing: number | null
  readonly lineHeight: number | null
  readonly textShadow: string
  readonly textIndent: number
  /** The value of any other property, without inheritance; empty if nothing sets it. */
  readonly get: (property: string) => string
}

const ROOT_FONT_PX = 16
/** CSS Fonts 4, section 2.5: keyword sizes in px, where medium is 16 px. */
const SIZE_WORDS: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
  'xxx-large': 48,
}
/** The factor of `larger` and `smaller`. */
const STEP = 1.2
/** The usual result of `line-height: normal`, as a factor of the font size. */
const NORMAL_LINE = 1.2
const TRANSPARENT: Colour = { red: 0, green: 0, blue: 0, alpha: 0 }
/** Bounds variables that refer to each other in a loop. */
const MAX_SUBSTITUTIONS = 20

/** Computes styles on demand and caches them. */
export function createStyles(cascade: Cascade): (element: Element) => Style {
  const cache = new WeakMap<Element, Style>()
  const styleOf = (element: Element): Style => {
    const found = cache.get(element)
    if (found) return found
    const parent = parentOf(element)
    const style = compute(element, cascade(element), parent ? styleOf(parent) : null)
    cache.set(element, style)
    return style
  }
  return styleOf
}

function compute(element: Element, own: ReadonlyMap<string, Declared>, parent: Style | null): Style {
  const declared = own
  const variables = variablesOf(own, parent)
  /** Null: inherited from the parent. */
  const specified = (property: string, isInherited: boolean): string | null => {
    const written = declared.get(property)?.value
    const value = written === undefined ? undefined : substitute(written, variables)
    const fallback = browserDefault(property, element)
    if (value === undefined) return fallback !== '' ? fallback : isInherited ? null : ''
    const word = value.toLowerCase()
    if (word === 'inherit') return null
    if (word === 'initial') return ''
    if (word === 'unset') return isInherited ? null : ''
    if (word.startsWith('revert')) return fallback !== '' ? fallback : isInherited ? null : ''
    return value
  }
  const fontSize = fontSizeOf(specified('font-size', true), parent?.fontSize ?? ROOT_FONT_PX)
  const colour = colourOf(specified('color', true), parent ? parent.colour : BLACK)
  const image = specified('background-image', false)
  const background = specified('background-color', false)
  const indent = specified('text-indent', true)
  return {
    declared,
    variables,
    display: (specified('display', false) ?? parent?.display ?? '').toLowerCase() || 'inline',
    visibility: (specified('visibility', true) ?? parent?.visibility ?? '').toLowerCase() || 'visible',
    colour,
    background: background === null ? (parent?.background ?? null) : backgroundOf(background, colour),
    backgroundImage: image === null ? (parent?.backgroundImage ?? 'none') : image || 'none',
    opacity: opacityOf(specified('opacity', false) ?? ''),
    fontSize,
    fontWeight: weightOf(specified('font-weight', true), parent?.fontWeight ?? 400),
    fontFamily: specified('font-family', true) ?? parent?.fontFamily ?? '',
    letterSpacing: spacingOf(specified('letter-spacing', true), fontSize, parent?.letterSpacing),
    wordSpacing: spacingOf(specified('word-spacing', true), fontSize, parent?.wordSpacing),
    lineHeight: lineHeightOf(specified('line-height', true), fontSize, parent),
    textShadow: specified('text-shadow', true) ?? parent?.textShadow ?? '',
    textIndent: indent === null ? (parent?.textIndent ?? 0) : (toPixels(indent, base(fontSize)) ?? 0),
    get: (property) => specified(property, false) ?? '',
  }
}

const base = (em: number) => ({ em, hundredPercent: em })

/** The inherited variables of the parent plus the element's own; the parent's map itself if the element has none. */
function variablesOf(own: ReadonlyMap<string, Declared>, parent: Style | null): ReadonlyMap<string, string> {
  const inherited = parent?.variables ?? new Map<string, string>()
  const added = [...own].filter(([property]) => property.startsWith('--'))
  if (added.length === 0) return inherited
  return new Map([...inherited, ...added.map(([property, { value }]) => [property, value] as const)])
}

const INNERMOST_VARIABLE = /var\(\s*(--[\w-]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)/

/** The value with its `var()` references replaced, as far as the variables are defined. */
export function substitute(value: string, variables: ReadonlyMap<string, string>): string {
  let text = value
  for (let turn = 0; turn < MAX_SUBSTITUTIONS && text.includes('var('); turn += 1) {
    const match = INNERMOST_VARIABLE.exec(text)
    if (!match) break
    const replacement = variables.get(match[1] ?? '') ?? match[2]
    if (replacement === undefined) break
    text = text.replace(match[0], () => replacement.trim())
  }
  return text
}

function fontSizeOf(value: string | null, parent: number): number {
  if (value === null) return parent
  const word = value.toLowerCase()
  if (word === '' || word === 'medium') return ROOT_FONT_PX
  if (word === 'smaller') return parent / STEP
  if (word === 'larger') return parent * STEP
  return SIZE_WORDS[word] ?? toPixels(word, base(parent)) ?? parent
}

function colourOf(value: string | null, parent: Colour | null): Colour | null {
  if (value === null || value.toLowerCase() === 'currentcolor') return parent
  return value === '' ? BLACK : parseCssColour(value)
}

function backgroundOf(value: string, colour: Colour | null): Colour | null {
  if (value === '' || value.toLowerCase() === 'transparent') return TRANSPARENT
  return value.toLowerCase() === 'currentcolor' ? colour : parseCssColour(value)
}

function opacityOf(value: string): number {
  const number = value.endsWith('%') ? Number.parseFloat(value) / 100 : Number.parseFloat(value)
  return Number.isNaN(number) ? 1 : Math.min(1, Math.max(0, number))
}

function weightOf(value: string | null, parent: number): number {
  if (value === null) return parent
  const word = value.toLowerCase()
  if (word === 'bold') return 700
  // CSS Fonts 4, section 2.2.1, as far as it decides whether text is bold.
  if (word === 'bolder') return parent < 350 ? 400 : parent < 550 ? 700 : 900
  if (word === 'lighter') return parent < 550 ? 100 : parent < 750 ? 400 : 700
  const number = Number(word)
  return word === '' || Number.isNaN(number) ? 400 : number
}

function spacingOf(value: string | null, fontSize: number, parent: number | null | undefined): number | null {
  if (value === null) return parent ?? 0
  return value === '' || value.toLowerCase() === 'normal' ? 0 : toPixels(value, base(fontSize))
}

/** Px. A unitless number is a factor, and is inherited as a factor. */
function lineHeightOf(value: string | null, fontSize: number, parent: Style | null): number | null {
  if (value === null) {
    if (!parent) return NORMAL_LINE * fontSize
    const above = parent.get('line-height')
    return isFactor(above) ? Number(above) * fontSize : parent.lineHeight
  }
  if (value === '' || value.toLowerCase() === 'normal') return NORMAL_LINE * fontSize
  return isFactor(value) ? Number(value) * fontSize : toPixels(value, base(fontSize))
}

function isFactor(value: string): boolean {
  return /^(?:\d+\.?\d*|\.\d+)$/.test(value)
}
