import { type ChildNode, type Document, Element, isTag, Text } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { isHidden } from '../extractors/boilerplate-marks.ts'
import { elementsBelow, textOf } from '../html-tree.ts'
import { mathToTex } from './math-to-tex.ts'

type Formula = { readonly tex: string; readonly isDisplayed: boolean }

const CLASS = {
  katex: /(?:^|\s)katex(?:-display)?(?:$|\s)/,
  displayed: /(?:^|\s)(?:katex-display|math-display|mwe-math-fallback-image-display|MathJax_Display)(?:$|\s)/,
  preview: /(?:^|\s)(?:MathJax(?:_\w+)?|MJX\w*)(?:$|\s)/,
  image: /(?:^|\s)(?:latex|tex|mwe-math-fallback-image-(?:inline|display))(?:$|\s)/i,
}
const TEX_ATTRIBUTES = ['data-math', 'data-latex', 'data-tex']
/** A command of TeX with an argument, an index or an operand. */
const TEX_COMMAND = /\\[a-z]{2,}\s*[{_^+=(-]/i
const TEX_SCRIPT = /^math\/(?:tex|latex)\b/i
/** Elements around a formula without other text. */
const MAX_WRAPPERS = 4

/**
 * Replaces each formula of a page by one `math` element with its TeX as text: formulas of KaTeX and MathJax, MathML,
 * and images of formulas, which repeat the MathML of some pages.
 */
export function markFormulas(tree: Document): void {
  let last: Formula | null = null
  const mark = (parent: Element | Document) => {
    const children: ChildNode[] = []
    for (const child of parent.children) {
      const formula = isTag(child) ? readFormula(child) : null
      if (formula === null) {
        if (textOf(child)?.trim()) last = null
        if (isTag(child)) mark(child)
        children.push(child)
        continue
      }
      if (isTag(child) && child.name === 'script') dropPreview(children)
      const isRepeated = isTag(child) && child.name === 'img' && last?.tex === formula.tex
      last = formula
      if (!isRepeated) children.push(toMath(formula, parent))
    }
    parent.children = children
  }
  if (elementsBelow(tree).some(isFormulaMark)) mark(tree)
}

function isFormulaMark({ name, attribs }: Element): boolean {
  if (name === 'math' || TEX_ATTRIBUTES.some((attribute) => attribs[attribute] !== undefined)) return true
  if (name === 'script') return TEX_SCRIPT.test(attribs.type ?? '')
  return name === 'img' ? texOfImage(attribs) !== undefined : CLASS.katex.test(attribs.class ?? '')
}

function readFormula(element: Element): Formula | null {
  const { name, attribs } = element
  const isDisplayed = CLASS.displayed.test(attribs.class ?? '') || attribs.display === 'true'
  if (name === 'script') {
    if (!TEX_SCRIPT.test(attribs.type ?? '')) return null
    return toFormula(textContent(element), /mode\s*=\s*display/.test(attribs.type ?? ''))
  }
  if (name === 'img') return toFormula(texOfImage(attribs), isDisplayed)
  if (name === 'math') return toFormula(texOfMath(element), attribs.display === 'block')
  const attribute = TEX_ATTRIBUTES.find((known) => attribs[known])
  if (attribute !== undefined && !elementsBelow(element).some(({ name: inner }) => inner === 'p'))
    return toFormula(attribs[attribute], isDisplayed || name === 'div')
  const math = findOnlyMath(element)
  if (math === null) return null
  return toFormula(texOfMath(math), isDisplayed || math.attribs.display === 'block')
}

/** TeX as the alternative text of an image, or in the address of a service that draws it. */
function texOfImage({ class: named = '', alt = '', src = '' }: Element['attribs']): string | undefined {
  if (alt !== '' && (CLASS.image.test(named) || TEX_COMMAND.test(alt))) return alt
  if (!/%5C[a-z]+/i.test(src) || /^data:/i.test(src)) return undefined
  const { searchParams, search, pathname } =
    URL.parse(src, 'https://example.com/') ?? new URL('https://example.com/')
  const parameter = [...searchParams.values()].find((value) => TEX_COMMAND.test(value))
  const source = parameter ?? (search === '' ? (pathname.split('/').at(-1) ?? '') : search.slice(1))
  try {
    return decodeURIComponent(source)
  } catch {
    return undefined
  }
}

/** The MathML of an element of KaTeX or MathJax, or of one that hides it or holds nothing else. */
function findOnlyMath(element: Element): Element | null {
  const isKatex = CLASS.katex.test(element.attribs.class ?? '')
  if (isKatex || element.name === 'mjx-container' || CLASS.preview.test(element.attribs.class ?? ''))
    return elementsBelow(element).find(({ name }) => name === 'math') ?? null
  if (!isHidden(element)) return null
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
    ({ name, attribs }) => name === 'annotation' && /\btex\b/i.test(attribs.encoding ?? ''),
  )
  if (annotation) return textContent(annotation)
  return declared ?? alttext ?? mathToTex(math)
}

function toFormula(source: string | undefined, isDisplayed: boolean): Formula | null {
  const tex = (source ?? '')
    .replace(/^\s*%.*\n/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\{\\(?:display|text|script)style\s*(.*)\}$/, '$1')
    .replace(/^(\${1,2})(.*)\1$/, '$2')
    .trim()
  return tex === '' ? null : { tex, isDisplayed }
}

/** Drops what MathJax drew for the script after it. */
function dropPreview(children: ChildNode[]): void {
  for (let at = children.length - 1; at >= 0; at -= 1) {
    const child = children[at]
    if (child === undefined || textOf(child)?.trim() === '') continue
    if (!isTag(child) || !(CLASS.preview.test(child.attribs.class ?? '') || child.name === 'math')) return
    children.splice(at, 1)
  }
}

function toMath({ tex, isDisplayed }: Formula, parent: Element | Document): Element {
  const text = new Text(tex)
  const math = new Element('math', { alttext: tex, ...(isDisplayed && { display: 'block' }) }, [text])
  text.parent = math
  math.parent = parent
  return math
}
