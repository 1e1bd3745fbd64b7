import { string } from 'css-tree'
import type { Element } from 'domhandler'
import type { Cascade } from './cascade.ts'
import { type Style, substitute } from './computed-style.ts'

/** The text that a style sheet generates before and after the content of an element. */
export type GeneratedText = { readonly before: string; readonly after: string }

const NONE: GeneratedText = { before: '', after: '' }
/** A string; `attr()` with its name and fallback; the slash; any other word or function. */
const TOKEN =
  /("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|\battr\(\s*([\w-]+)[^,()]*(?:,\s*("[^"]*"|'[^']*')\s*)?\)|(\/)|([\w-]+(?:\((?:"[^"]*"|'[^']*'|[^()"']|\([^()]*\))*\))?|\S)/gi
/** What has no text of its own: pictures and quotation marks. */
const WITHOUT_TEXT =
  /^(?:url|image-set|-webkit-image-set|(?:repeating-)?(?:linear|radial|conic)-gradient|.*-quote$)/i

/** Computes the texts of `::before` and `::after` on demand and caches them. */
export function createGeneratedText(
  cascade: Cascade,
  styleOf: (element: Element) => Style,
): (element: Element) => GeneratedText {
  const cache = new WeakMap<Element, GeneratedText>()
  const textOf = (element: Element, side: 'before' | 'after'): string => {
    const declared = cascade(element, side)
    const content = declared.get('content')?.value
    if (content === undefined) return ''
    const { variables, visibility } = styleOf(element)
    const own = (property: string) => {
      const value = declared.get(property)?.value ?? ''
      return substitute(value, variables).toLowerCase()
    }
    const display = own('display')
    if (display === 'none' || !/^(?:|inherit|unset|visible)$/.test(own('visibility') || visibility)) return ''
    const text = readContent(substitute(content, variables), element)
    return text === '' || display === '' || display === 'inline' ? text : ` ${text} `
  }
  return (element) => {
    const found = cache.get(element)
    if (found) return found
    const [before, after] = [textOf(element, 'before'), textOf(element, 'after')]
    const texts = before === '' && after === '' ? NONE : { before, after }
    cache.set(element, texts)
    return texts
  }
}

/**
 * The text of a `content` value, or its alternative text after a slash (CSS Generated Content 3, section 1.2);
 * empty for `none` and for values with counters, which need layout. Characters of icon fonts mean nothing in
 * text, and are left out: they are for private use (Unicode, section 23.5).
 */
function readContent(value: string, { attribs }: Element): string {
  let text = ''
  for (const [, quoted, attribute, fallback, slash, other = ''] of value.matchAll(TOKEN)) {
    if (slash !== undefined) text = ''
    else if (quoted !== undefined) text += string.decode(quoted)
    else if (attribute !== undefined)
      text += attribs[attribute.toLowerCase()] ?? (fallback ? string.decode(fallback) : '')
    else if (!WITHOUT_TEXT.test(other)) return ''
  }
  return text.replace(/\p{Co}/gu, '')
}
