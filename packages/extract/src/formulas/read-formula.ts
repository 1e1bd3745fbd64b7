import { type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { isHidden } from '../extractors/boilerplate-marks.ts'
import { elementsBelow, parseTree, textOf } from '../html-tree.ts'
import { drawnToMath } from './drawn-to-math.ts'
import { type Formula, toFormula } from './formula.ts'
import { mathToTex } from './math-to-tex.ts'
import { texOfImage } from './tex-of-image.ts'

const CLASS = {
  katex: /(?:^|\s)katex(?:-display|-html)?(?:$|\s)/,
  displayed:
    /(?:^|\s)(?:katex-display|math-display|mwe-math-fallback-image-display|MathJax(?:_SVG)?_Display|MJXc-display|mjx-display|js-display-math)(?:$|\s)/,
  /** What MathJax draws; a preview is only text for the time until then. */
  drawn: /(?:^|\s)(?:MathJax(?:_(?!Preview)\w+)?|MJX\w*|mjx-chtml|MJXc-display|mjpage)(?:$|\s)/,
  source: /(?:^|\s)language-math(?:$|\s)/,
}
const TEX_ATTRIBUTES = ['data-math', 'data-latex', 'data-tex', 'data-formula']
const TEX_SCRIPT = /^math\/(?:tex|latex)\b/i
const MATHML_SCRIPT = /^math\/mml\b/i
/** Elements whose content is TeX. */
const TEX_ELEMENTS = new Set(['d-math', 'tex-math'])
/** Elements around a formula without other text. */
const MAX_WRAPPERS = 4

/** Whether an element alone shows that the page has formulas. */
export function isFormulaMark({ name, attribs }: Element): boolean {
  if (name === 'math' || name === 'mjx-container' || TEX_ELEMENTS.has(name)) return true
  if (name === 'script') return isMathScript(attribs)
  if (name === 'img') return texOfImage(attribs) !== undefined
  const classes = attribs.class ?? ''
  if (CLASS.katex.test(classes) || CLASS.drawn.test(classes) || CLASS.source.test(classes)) return true
  return TEX_ATTRIBUTES.some((attribute) => attribs[attribute] !== undefined)
}

/** Whether MathJax or KaTeX made an element, rather than the author of the page. */
export function isDrawn({ name, attribs }: Element): boolean {
  return (
    name === 'mjx-container' || CLASS.drawn.test(attribs.class ?? '') || CLASS.katex.test(attribs.class ?? '')
  )
}

/** Reads an element that is one formula: null if it is none, `unread` if nothing in it can be read. */
export function readFormula(element: Element): Formula | 'unread' | null {
  const { name, attribs } = element
  const classes = attribs.class ?? ''
  const isDisplayed =
    CLASS.displayed.test(classes) ||
    attribs.display === 'true' ||
    attribs.display === 'block' ||
    attribs['data-math-style'] === 'display'
  if (name === 'script') return readScript(element)
  if (name === 'img') return toFormula(texOfImage(attribs), isDisplayed)
  if (name === 'math') return toFormula(texOfMath(element), isDisplayed)
  if (TEX_ELEMENTS.has(name)) return toFormula(textContent(element), attribs.block !== undefined)
  if (CLASS.source.test(classes)) return toFormula(textContent(element), isDisplayed || isInPre(element))
  const attribute = TEX_ATTRIBUTES.find((known) => attribs[known])
  if (attribute !== undefined && !elementsBelow(element).some(({ name: inner }) => inner === 'p'))
    return toFormula(attribs[attribute], isDisplayed || name === 'div')
  if (isDrawn(element)) return readDrawn(element, isDisplayed)
  const math = isHidden(element) ? findOnlyMath(element) : null
  return math === null ? null : toFormula(texOfMath(math), isDisplayed || math.attribs.display === 'block')
}

function isMathScript({ type = '' }: Element['attribs']): boolean {
  return TEX_SCRIPT.test(type) || MATHML_SCRIPT.test(type)
}

function readScript(script: Element): Formula | null {
  const { type = '' } = script.attribs
  const isDisplayed = /mode\s*=\s*display/.test(type)
  if (TEX_SCRIPT.test(type)) return toFormula(textContent(script), isDisplayed)
  if (!MATHML_SCRIPT.test(type)) return null
  const math = findMath(parseTree(textContent(script)).children.filter(isTag))
  return math && toFormula(texOfMath(math), isDisplayed || math.attribs.display === 'block')
}

function isInPre({ parent }: Element): boolean {
  return parent !== null && 'name' in parent && parent.name === 'pre'
}

/** Reads what KaTeX or MathJax drew: by its source, by the MathML in it, and else by its parts. */
function readDrawn(element: Element, isMarked: boolean): Formula | 'unread' | null {
  const below = [element, ...elementsBelow(element)]
  const isDisplayed =
    isMarked ||
    below.some(({ name, attribs }) => /^mjx-(?:math|container)$/.test(name) && attribs.display === 'true')
  const toResult = (tex: string, math?: Element) =>
    toFormula(tex, isDisplayed || math?.attribs.display === 'block')
  const script = below.find(({ name, attribs }) => name === 'script' && TEX_SCRIPT.test(attribs.type ?? ''))
  if (script) return readScript(script)
  const math = findMath(below)
  if (math) return toResult(texOfMath(math), math)
  const source = below.map(sourceOf).find((tex) => tex !== undefined)
  if (source !== undefined) return toResult(source)
  const markup = below.find(({ attribs }) => attribs['data-mathml'])?.attribs['data-mathml']
  const inAttribute = markup === undefined ? null : findMath(parseTree(markup).children.filter(isTag))
  if (inAttribute) return toResult(texOfMath(inAttribute), inAttribute)
  const drawn = drawnToMath(element)
  if (drawn !== null) return toResult(mathToTex(drawn))
  return textContent(element).trim() === '' ? null : 'unread'
}

/** The source that MathJax 4 and MathJax for Node keep at the root of what they draw. */
function sourceOf({ name, attribs }: Element): string | undefined {
  if (name === 'mjx-math' || attribs['data-mml-node'] === 'math') return attribs['data-latex']
  const label = /(?:^|\s)mjx-math(?:$|\s)/.test(attribs.class ?? '') ? attribs['aria-label'] : undefined
  return label !== undefined && (/[\\^_{}]/.test(label) || !/[a-z]{3}/i.test(label)) ? label : undefined
}

function findMath(elements: readonly Element[]): Element | null {
  const found = elements.find(({ name }) => name === 'math')
  if (found) return found
  return elements.flatMap((element) => elementsBelow(element)).find(({ name }) => name === 'math') ?? null
}

/** The MathML of an element that holds nothing else. */
function findOnlyMath(element: Element): Element | null {
  let inner: Element = element
  for (let level = 0; level < MAX_WRAPPERS; level += 1) {
    const children = getChildren(inner).filter(
      (child) => isTag(child) || (textOf(child)?.trim() ?? '') !== '',
    )
    const [only] = children
    if (children.length !== 1 || only === undefined || !isTag(only)) return null
    if (only.name === 'math') return only
    inner = only
  }
  return null
}

function texOfMath(math: Element): string {
  const { alttext, 'data-latex': declared } = math.attribs
  const annotation = elementsBelow(math).find(
    ({ name, attribs }) => name === 'annotation' && /\b(?:x-)?(?:la)?tex\b/i.test(attribs.encoding ?? ''),
  )
  const source = [annotation && textContent(annotation), declared, alttext].find((tex) => tex?.trim())
  return source ?? mathToTex(math)
}
