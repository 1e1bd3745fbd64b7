import { type ChildNode, type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { textOf } from '../html-tree.ts'
import type { Inline } from './block.ts'
import { findImageSource, safeUrl } from './safe-url.ts'

export type ReadOptions = {
  /** What relative URLs are resolved against; absent: they stay as they are. */
  readonly baseUrl?: string
  readonly includeLinks: boolean
  readonly includeImages: boolean
}

const EMPHASIS = new Set(['em', 'i', 'cite', 'dfn', 'var'])
const STRONG = new Set(['strong', 'b'])
const DELETED = new Set(['del', 's', 'strike'])
const CODE = new Set(['code', 'kbd', 'samp', 'tt'])

/** The inline content of nodes, with white space as in the source; null where a node is not inline content. */
export function readInlines(nodes: readonly ChildNode[], options: ReadOptions): Inline[] {
  return nodes.flatMap((node) => readInline(node, options))
}

/** One node as inline content; blocks inside are taken for their content. */
export function readInline(node: ChildNode, options: ReadOptions): Inline[] {
  const text = textOf(node)
  if (text !== null) return [{ kind: 'text', text }]
  if (!isTag(node) || isUnread(node)) return []
  const { name } = node
  if (name === 'br') return [{ kind: 'break' }]
  if (name === 'img') return readImage(node, options)
  if (name === 'input') return readCheckbox(node)
  if (name === 'math') return readFormula(node, options)
  if (CODE.has(name)) return readCode(node)
  const content = readInlines(getChildren(node), options)
  if (name === 'a') return readLink(node, content, options)
  if (name === 'q') return [{ kind: 'text', text: '"' }, ...content, { kind: 'text', text: '"' }]
  if (EMPHASIS.has(name)) return [{ kind: 'emphasis', content }]
  if (STRONG.has(name)) return [{ kind: 'strong', content }]
  if (DELETED.has(name)) return [{ kind: 'deleted', content }]
  return content
}

/** What has nothing to read. */
const NOT_READ: ReadonlySet<string> = new Set(
  'script style noscript template head meta link title iframe object embed svg canvas audio video map select textarea datalist dialog annotation annotation-xml'.split(
    ' ',
  ),
)

const TITLES = /^(?:h[1-6]|summary|dt)$/

/** A button is for pressing, but one that is the title of what it opens is to be read. */
export function isUnread(element: Element): boolean {
  const { name, parent } = element
  if (name === 'button') return !(parent && 'name' in parent && TITLES.test(parent.name))
  return NOT_READ.has(name)
}

function readImage({ attribs }: Element, { baseUrl, includeImages }: ReadOptions): Inline[] {
  const src = safeUrl(findImageSource(attribs), baseUrl)
  if (!includeImages || src === null) return []
  const [alt, title] = [attribs.alt ?? '', attribs.title ?? ''].map((text) =>
    text.replace(/\s+/g, ' ').trim(),
  )
  return [{ kind: 'image', src, alt: alt ?? '', title: title ?? '' }]
}

/** The box of a task list. */
function readCheckbox({ attribs, parent }: Element): Inline[] {
  if (attribs.type?.toLowerCase() !== 'checkbox') return []
  if (!(parent && 'name' in parent && (parent.name === 'li' || parent.name === 'p'))) return []
  const text = attribs.checked === undefined ? '[ ]' : '[x]'
  return [
    { kind: 'verbatim', text },
    { kind: 'text', text: ' ' },
  ]
}

/** A formula by its TeX source, where it carries one. */
function readFormula(node: Element, options: ReadOptions): Inline[] {
  const tex = node.attribs.alttext ?? findAnnotation(node)
  if (tex !== null) {
    const text = `$${tex.replace(/\s+/g, ' ').trim()}$`
    // Marks of links and code would be read as such, so that a formula with them is escaped like words.
    return [{ kind: /[[\]<>`!|]/.test(text) ? 'text' : 'verbatim', text }]
  }
  return readInlines(getChildren(node), options)
}

function findAnnotation(node: Element): string | null {
  for (const child of getChildren(node)) {
    if (!isTag(child)) continue
    if (child.name === 'annotation' && /\btex\b/i.test(child.attribs.encoding ?? ''))
      return textContent(child)
    const found = findAnnotation(child)
    if (found !== null) return found
  }
  return null
}

function readCode(node: Element): Inline[] {
  const text = textContent(node).replace(/[ \t\r\n]+/g, (run) => (run.includes('\n') ? ' ' : run))
  return text === '' ? [] : [{ kind: 'code', text }]
}

function readLink({ attribs }: Element, content: Inline[], { baseUrl, includeLinks }: ReadOptions): Inline[] {
  const href = includeLinks && attribs.href !== undefined ? safeUrl(attribs.href, baseUrl) : null
  if (href === null) return content
  const hasContent = content.some((part) => part.kind !== 'text' || part.text.trim() !== '')
  // Without a base the markup itself is what counts, and an empty link is one.
  if (!hasContent && baseUrl !== undefined) return content
  return [{ kind: 'link', href, title: attribs.title ?? '', content }]
}
