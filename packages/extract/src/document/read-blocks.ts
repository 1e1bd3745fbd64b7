import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import type { Block, Inline } from './block.ts'
import { readCode } from './read-code.ts'
import { isUnread, type ReadOptions, readInline, readLink } from './read-inline.ts'
import { readTable } from './read-table.ts'
import { tidyInlines } from './tidy-inlines.ts'

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
  return readNodes(getChildren(parent), options)
}

function readNodes(siblings: readonly ChildNode[], options: ReadOptions): Block[] {
  const blocks: Block[] = []
  let line: Inline[] = []
  const endLine = () => {
    const content = tidyInlines(line, { isPage: options.baseUrl !== undefined })
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
  visit(siblings)
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
  const items = readItems(node, options)
  const start = Number.parseInt(node.attribs.start ?? '1', 10)
  const list: Block = {
    kind: 'list',
    // CommonMark limits list numbers to 0 to 999999999; this applies to the last item too.
    start: node.name === 'ol' ? (start >= 0 && start <= 999_999_999 - items.length ? start : 1) : null,
    isTight: !getChildren(node).some((item) => isTag(item) && holdsParagraph(item)),
    items: items.filter((blocks) => blocks.length > 0 || options.baseUrl === undefined),
  }
  return list.items.length > 0 ? [list] : []
}

function holdsParagraph(item: Element): boolean {
  return getChildren(item).some((child) => isTag(child) && child.name === 'p')
}

/**
 * The items of a list. What stands between them is an item, too, but a list there belongs to the item before it; an
 * element around several items is replaced by them.
 */
function readItems(list: Element, options: ReadOptions): (readonly Block[])[] {
  const items: (readonly Block[])[] = []
  let between: ChildNode[] = []
  const endBetween = () => {
    const blocks = readNodes(between, options)
    const before = items.at(-1)
    if (blocks.length > 0 && before && blocks.every(({ kind }) => kind === 'list'))
      items[items.length - 1] = [...before, ...blocks]
    else if (blocks.length > 0) items.push(blocks)
    between = []
  }
  for (const child of getChildren(list)) {
    const isItem = isTag(child) && child.name === 'li'
    if (!isItem && !(isTag(child) && isAroundItems(child))) {
      between.push(child)
      continue
    }
    endBetween()
    if (isItem) items.push(readChildren(child, options))
    else for (const item of readItems(child, options)) items.push(item)
  }
  endBetween()
  return items
}

function isAroundItems(element: Element): boolean {
  if (BULLETS.has(element.name) || element.name === 'ol' || isUnread(element)) return false
  return getChildren(element).some((child) => isTag(child) && child.name === 'li')
}
