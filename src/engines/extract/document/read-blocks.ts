import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import type { Block, Inline } from './block.ts'
import { isUnread, type ReadOptions, readInline, readLink } from './read-inline.ts'
import { readTable } from './read-table.ts'

/** Block elements, which break the line; every other element is part of a paragraph. */
const BLOCKS = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul caption'.split(
    ' ',
  ),
)
const BULLETS = new Set(['ul', 'menu'])

export function isBlock({ name }: Element): boolean {
  return BLOCKS.has(name)
}

export function readBlocks(tree: Element | Document, options: ReadOptions): Block[] {
  return readChildren(tree, options)
}

function readChildren(parent: Element | Document, options: ReadOptions): Block[] {
  const blocks: Block[] = []
  let line: Inline[] = []
  const endLine = () => {
    const content = tidyInlines(line)
    if (content.length > 0) blocks.push({ kind: 'paragraph', content })
    line = []
  }
  const visit = (nodes: readonly ChildNode[]) => {
    for (const node of nodes) {
      if (!isTag(node)) addTo(line, readInline(node, options))
      else if (isUnread(node)) continue
      else if (isBlock(node)) {
        endLine()
        addTo(blocks, readBlock(node, options))
      } else if (node.name === 'a' && holdsBlocks(node)) {
        endLine()
        addTo(blocks, linkCard(readChildren(node, options), node, options))
      } else if (holdsBlocks(node)) {
        // A span around headings and paragraphs is replaced by its content.
        visit(getChildren(node))
      } else addTo(line, readInline(node, options))
    }
  }
  visit(getChildren(parent))
  endLine()
  return blocks
}

/** A link around a card becomes the link of its heading, else of its first paragraph with text. */
function linkCard(blocks: readonly Block[], node: Element, options: ReadOptions): Block[] {
  const hasText = (block: Block) => 'content' in block && block.content.some((part) => part.kind !== 'image')
  const heading = blocks.findIndex((block) => block.kind === 'heading' && hasText(block))
  const at = heading >= 0 ? heading : blocks.findIndex(hasText)
  return blocks.map((block, index) =>
    index === at && 'content' in block
      ? { ...block, content: readLink(node, block.content, options) }
      : block,
  )
}

/** `push(...parts)` would exceed the argument limit of a call on a large page. */
function addTo<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item)
}

function holdsBlocks(node: Element): boolean {
  return getChildren(node).some((child) => isTag(child) && (isBlock(child) || holdsBlocks(child)))
}

function readBlock(node: Element, options: ReadOptions): Block[] {
  const { name } = node
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level !== undefined) return readHeading(node, Number(level) as 1 | 2 | 3 | 4 | 5 | 6, options)
  if (name === 'hr') return [{ kind: 'rule' }]
  if (name === 'pre') return readCode(node, options)
  if (name === 'blockquote') return readQuote(node, options)
  if (BULLETS.has(name) || name === 'ol') return readList(node, options)
  if (name === 'dt') return readTerm(node, options)
  if (name === 'table') return readTable(node, (part) => readChildren(part, options))
  return readChildren(node, options)
}

/** A heading stays on one line; blocks inside it, such as a card, are moved after it. */
function readHeading(node: Element, level: 1 | 2 | 3 | 4 | 5 | 6, options: ReadOptions): Block[] {
  const blocks = readChildren(node, options)
  const [first, ...rest] = blocks
  if (first === undefined)
    return options.baseUrl === undefined ? [{ kind: 'heading', level, content: [] }] : []
  if (first.kind !== 'paragraph') return blocks
  const content = first.content.map(
    (part): Inline => (part.kind === 'break' ? { kind: 'text', text: ' ' } : part),
  )
  return [{ kind: 'heading', level, content }, ...rest]
}

function readQuote(node: Element, options: ReadOptions): Block[] {
  const blocks = readChildren(node, options)
  return blocks.length > 0 || options.baseUrl === undefined ? [{ kind: 'quote', blocks }] : []
}

function readTerm(node: Element, options: ReadOptions): Block[] {
  return readChildren(node, options).map((block) =>
    block.kind === 'paragraph' ? { ...block, content: [{ kind: 'strong', content: block.content }] } : block,
  )
}

function readList(node: Element, options: ReadOptions): Block[] {
  const items = getChildren(node).filter(isTag)
  const start = Number.parseInt(node.attribs.start ?? '1', 10)
  const list: Block = {
    kind: 'list',
    // CommonMark limits list numbers to 0 to 999999999; this applies to the last item too.
    start: node.name === 'ol' ? (start >= 0 && start <= 999_999_999 - items.length ? start : 1) : null,
    isTight: !items.some((item) => getChildren(item).some((child) => isTag(child) && child.name === 'p')),
    items: items
      .filter((item) => !isUnread(item))
      .map((item) => (item.name === 'li' ? readChildren(item, options) : readBlock(item, options)))
      .filter((blocks) => blocks.length > 0 || options.baseUrl === undefined),
  }
  return list.items.length > 0 ? [list] : []
}

const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:|sourceCode)[-\s]+([^\s]+)/i

function readCode(node: Element, options: ReadOptions): Block[] {
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

/** Code with one element per line. */
const LINES = new Set(['div', 'p', 'li', 'tr'])

function codeBelow(node: Element): string {
  return getChildren(node)
    .map((child) => {
      if (!isTag(child)) return textContent(child)
      if (child.name === 'br') return '\n'
      const text = codeBelow(child)
      return LINES.has(child.name) && !text.endsWith('\n') ? `${text}\n` : text
    })
    .join('')
}

/**
 * Collapses white space as a browser does: runs become one space, and line ends are trimmed. White space just
 * inside emphasis is moved out, because Markdown would not parse it as emphasis.
 */
function tidyInlines(inlines: readonly Inline[]): Inline[] {
  const spaced = spreadSpaces(inlines)
  return dropBreaks(trimLines(spaced))
}

/** Collapses runs and moves white space at the edges of wrapped content outside it. */
function spreadSpaces(inlines: readonly Inline[]): Inline[] {
  return inlines.flatMap((part): Inline[] => {
    if (part.kind === 'text') return [{ kind: 'text', text: part.text.replace(/[ \t\n\r\f]+/g, ' ') }]
    if (!('content' in part)) return [part]
    const content = mergeTexts(spreadSpaces(part.content))
    const [first, last] = [content[0], content.at(-1)]
    const before = first?.kind === 'text' ? toSpace(/^[ \u00a0]+/.exec(first.text)) : []
    const after = last?.kind === 'text' ? toSpace(/[ \u00a0]+$/.exec(last.text)) : []
    const trimmed = content
      .map((inner, at): Inline => {
        if (inner.kind !== 'text') return inner
        const start = at === 0 ? inner.text.replace(/^[ \u00a0]+/, '') : inner.text
        const text = at === content.length - 1 ? start.replace(/[ \u00a0]+$/, '') : start
        return { kind: 'text', text }
      })
      .filter((inner) => inner.kind !== 'text' || inner.text !== '')
    if (trimmed.length === 0 && part.kind !== 'link') return [...before, ...after].slice(0, 1)
    return [...before, { ...part, content: trimmed }, ...after]
  })
}

function toSpace(found: RegExpExecArray | null): readonly Inline[] {
  return found === null ? [] : [{ kind: 'text', text: found[0] }]
}

/** Joins adjacent texts, and adjacent code, whose marks would run together. */
function mergeTexts(inlines: readonly Inline[]): Inline[] {
  const merged: Inline[] = []
  let texts: string[] = []
  const endText = () => {
    const text = texts.join('').replace(/ {2,}/g, ' ')
    if (text !== '') merged.push({ kind: 'text', text })
    texts = []
  }
  for (const part of inlines) {
    if (part.kind === 'text') texts.push(part.text)
    else {
      endText()
      const before = merged.at(-1)
      if (part.kind === 'code' && before?.kind === 'code')
        merged[merged.length - 1] = { kind: 'code', text: before.text + part.text }
      else merged.push(part)
    }
  }
  endText()
  return merged
}

/** Trims white space at the start, at the end and next to breaks. */
function trimLines(inlines: readonly Inline[]): Inline[] {
  const merged = mergeTexts(inlines)
  return merged
    .map((part, at): Inline => {
      if (part.kind !== 'text') return part
      const [before, after] = [merged[at - 1], merged[at + 1]]
      let { text } = part
      if (before === undefined || before.kind === 'break') text = text.replace(/^ +/, '')
      if (after === undefined || after.kind === 'break') text = text.replace(/ +$/, '')
      return { kind: 'text', text }
    })
    .filter((part) => part.kind !== 'text' || part.text !== '')
}

function dropBreaks(inlines: readonly Inline[]): Inline[] {
  let [start, end] = [0, inlines.length]
  while (inlines[start]?.kind === 'break') start += 1
  while (end > start && inlines[end - 1]?.kind === 'break') end -= 1
  return inlines.slice(start, end)
}
