import { type ChildNode, type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { textOf } from '../html-tree.ts'
import type { Inline } from './block.ts'
import { type IndexMarks, markIndex } from './mark-index.ts'
import { findImageSource, safeUrl } from './safe-url.ts'

export type ReadOptions = {
  /** Base for relative URLs; if absent, they stay relative. */
  readonly baseUrl?: string
  readonly includeLinks: boolean
  readonly includeImages: boolean
}

const EMPHASIS = new Set(['em', 'i', 'cite', 'dfn', 'var'])
const STRONG = new Set(['strong', 'b'])
const DELETED = new Set(['del', 's', 'strike'])
const CODE = new Set(['code', 'kbd', 'samp', 'tt'])

/** Reads nodes as inline content, with the white space of the source. */
export function readInlines(nodes: readonly ChildNode[], options: ReadOptions): Inline[] {
  return nodes.flatMap((node) => readInline(node, options))
}

/** Reads one node as inline content; block elements are replaced by their content. */
export function readInline(node: ChildNode, options: ReadOptions): readonly Inline[] {
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
  if (name === 'sup' || name === 'sub') {
    const { open, close } = indexMarks(node)
    return [{ kind: 'text', text: open }, ...content, { kind: 'text', text: close }]
  }
  if (name === 'a') return readLink(node, content, options)
  if (name === 'q') return [{ kind: 'text', text: '"' }, ...content, { kind: 'text', text: '"' }]
  if (EMPHASIS.has(name)) return [{ kind: 'emphasis', content }]
  if (STRONG.has(name)) return [{ kind: 'strong', content }]
  if (DELETED.has(name)) return [{ kind: 'deleted', content }]
  return content
}

/** The marks of an exponent or index; the number of a note in a link needs none. */
function indexMarks(node: Element): IndexMarks {
  const kind = node.name === 'sup' ? 'sup' : 'sub'
  if (kind === 'sup' && holdsLink(node)) return { open: '', close: '' }
  const before = node.prev === null ? '' : textContent(node.prev)
  const after = node.next === null ? '' : textContent(node.next)
  return markIndex(kind, textContent(node).trim(), { before, after })
}

function holdsLink(node: Element): boolean {
  return getChildren(node).some((child) => isTag(child) && (child.name === 'a' || holdsLink(child)))
}

/** Elements without readable content. */
const NOT_READ: ReadonlySet<string> = new Set(
  'script style noscript template head meta link title iframe object embed svg canvas audio video map select textarea datalist dialog annotation annotation-xml'.split(
    ' ',
  ),
)

const TITLES = /^(?:h[1-6]|summary|dt)$/

/** Buttons are controls, except one that is the title of the section it opens. */
export function isUnread(element: Element): boolean {
  const { name, parent } = element
  if (name === 'button') return !(parent && 'name' in parent && TITLES.test(parent.name))
  return NOT_READ.has(name)
}

function readImage({ attribs }: Element, { baseUrl, includeImages }: ReadOptions): Inline[] {
  const source = findImageSource(attribs)
  const isOmitted = baseUrl !== undefined || attribs.src === undefined
  const src = safeUrl(source, baseUrl)
  if (!includeImages || src === null || (source === '' && isOmitted)) return []
  const [alt, title] = [attribs.alt ?? '', attribs.title ?? ''].map((text) =>
    text.replace(/\s+/g, ' ').trim(),
  )
  return [{ kind: 'image', src, alt: alt ?? '', title: title ?? '' }]
}

/** A task list checkbox. */
function readCheckbox({ attribs, parent }: Element): Inline[] {
  if (attribs.type?.toLowerCase() !== 'checkbox') return []
  if (!(parent && 'name' in parent && (parent.name === 'li' || parent.name === 'p'))) return []
  const text = attribs.checked === undefined ? '[ ]' : '[x]'
  return [
    { kind: 'verbatim', text },
    { kind: 'text', text: ' ' },
  ]
}

/** A formula as TeX, if the markup contains its source. */
function readFormula(node: Element, options: ReadOptions): Inline[] {
  const tex = node.attribs.alttext ?? findAnnotation(node)
  if (tex !== null) {
    const mark = node.attribs.display === 'block' ? '$$' : '$'
    const text = `${mark}${tex.replace(/\s+/g, ' ').trim()}${mark}`
    // A formula with link, code or HTML syntax would be parsed as such, so it is escaped like text.
    return [{ kind: /`|<[a-z!?/]|\][([]/i.test(text) ? 'text' : 'verbatim', text }]
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

export function readLink(
  { attribs }: Element,
  content: readonly Inline[],
  { baseUrl, includeLinks }: ReadOptions,
): readonly Inline[] {
  const href = includeLinks && attribs.href !== undefined ? safeUrl(attribs.href, baseUrl) : null
  if (href === null) return content
  const hasContent = content.some(isShown)
  // Without a base the markup is converted as written, so an empty link is kept.
  if (!hasContent && baseUrl !== undefined) return content
  return [{ kind: 'link', href, title: attribs.title ?? '', content }]
}

/** Whether a part shows anything; an icon that is an empty element does not. */
function isShown(part: Inline): boolean {
  if ('content' in part) return part.content.some(isShown)
  if (part.kind === 'text' || part.kind === 'code') return part.text.trim() !== ''
  return part.kind !== 'break'
}
