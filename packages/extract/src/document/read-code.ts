import { type ChildNode, type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import type { Block } from './block.ts'
import { isUnread, type ReadOptions } from './read-inline.ts'

const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:|sourceCode)[-\s]+([^\s]+)/i

/** Reads a listing; empty if the markup is a page's and has no code. */
export function readCode(node: Element, options: ReadOptions): Block[] {
  if (options.baseUrl !== undefined && textContent(node).trim() === '') return []
  const codes = getChildren(node).filter((child): child is Element => isTag(child) && child.name === 'code')
  const sources = [...codes, node, ...parentsOf(node)]
  const language = sources
    .map(
      ({ attribs }) =>
        attribs['data-language'] ?? attribs['data-lang'] ?? LANGUAGE.exec(attribs.class ?? '')?.[1],
    )
    .find((found) => found !== undefined && found !== '')
  // HTML drops a line break directly after <pre>.
  const isDropped = node.children[0]?.type === 'text'
  const text = isDropped ? codeBelow(node).replace(/^\r?\n/, '') : codeBelow(node)
  return [{ kind: 'code', language: language?.trim() ?? '', text: text.replace(/\r?\n$/, '') }]
}

/** Wrappers near enough to a code block to name its language. */
function parentsOf({ parent }: Element): Element[] {
  if (!(parent && isTag(parent as ChildNode))) return []
  const first = parent as Element
  const second = first.parent
  return second && isTag(second as ChildNode) ? [first, second as Element] : [first]
}

/** Line numbers next to or in front of code. */
const LINE_NUMBER =
  /(?:^|[\s_-])(?:line-?numbers?(?:-rows)?|line-?no|linenos?|gutter|blob-num|ln-num)(?:$|[\s_-])/i

function isLineNumber(element: Element): boolean {
  return LINE_NUMBER.test(element.attribs.class ?? '') && /^[\d\s]*$/.test(textContent(element))
}

/** Code with one element per line. */
const LINES = new Set(['div', 'p', 'li', 'tr'])

function codeBelow(node: Element): string {
  return getChildren(node)
    .map((child) => {
      if (!isTag(child)) return textContent(child)
      if (child.name === 'br') return '\n'
      if (isUnread(child) || isLineNumber(child)) return ''
      const text = codeBelow(child)
      return LINES.has(child.name) && !text.endsWith('\n') ? `${text}\n` : text
    })
    .join('')
}
