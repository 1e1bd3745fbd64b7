import type { Block, Inline } from '@tollbook/extract/document/block'
import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { writeHtml } from '@tollbook/extract/document/write-html'
import { writeMarkdown } from '@tollbook/extract/document/write-markdown'
import { writeText } from '@tollbook/extract/document/write-text'
import type { ExtractedPage } from '@tollbook/extract/extract-page'
import { countWords } from '@tollbook/extract/words'

type Format = 'markdown' | 'text' | 'html'

export type SerialiseOptions = {
  readonly includeLinks: boolean
  readonly includeImages: boolean
  readonly format: Format
  /** Formats of further fields. */
  readonly formats?: readonly string[]
  /** Maximum characters of the content. */
  readonly maxChars: number
}

type ContentSource = {
  readonly head: ExtractedPage['head']
  readonly extractor: ExtractedPage['extractor'] | 'document' | 'ocr'
  /** Null for documents without markup. */
  readonly pageType: ExtractedPage['pageType'] | null
  /** What was left out of a page; null if nothing was chosen. */
  readonly dropped?: ExtractedPage['dropped']
}

export type SerialisedPage = ContentSource & {
  readonly content: string
  readonly text?: string
  readonly html?: string
  readonly isTruncated: boolean
  readonly words: number
  readonly links: readonly FoundLink[]
}

type FoundLink = { readonly text: string; readonly href: string }

const WRITERS = { markdown: writeMarkdown, text: writeText, html: writeHtml }

const MAX_LINKS = 1_000

/** Renders the extracted content in the requested format. */
export function serialisePage({ tree, ...page }: ExtractedPage, options: SerialiseOptions): SerialisedPage {
  const { includeLinks, includeImages } = options
  const blocks = readBlocks(tree, { baseUrl: page.head.baseUrl, includeLinks, includeImages })
  return serialiseBlocks(page, blocks, options)
}

/** Renders the blocks of a page or another document in the requested format. */
export function serialiseBlocks(
  page: ContentSource,
  blocks: readonly Block[],
  options: SerialiseOptions,
): SerialisedPage {
  const { format, maxChars } = options
  const { retained, isTruncated } = cutContent(blocks, maxChars, WRITERS[format])
  const write = (other: Format) => {
    const { retained: part } = cutContent(retained, maxChars, WRITERS[other])
    return WRITERS[other](part)
  }
  return {
    ...page,
    ...(options.formats?.includes('text') && { text: write('text') }),
    ...(options.formats?.includes('html') && { html: write('html') }),
    content: WRITERS[format](retained),
    isTruncated,
    words: countWords(writeText(retained)),
    links: findLinks(retained),
  }
}

/** The links of a document in order, each target once, with its first link text. */
function findLinks(blocks: readonly Block[]): FoundLink[] {
  const found = new Map<string, string>()
  const visit = (inlines: readonly Inline[]) => {
    for (const part of inlines) {
      if (part.kind === 'link' && !found.get(part.href) && found.size < MAX_LINKS)
        found.set(part.href, wordsOf(part.content))
      if ('content' in part) visit(part.content)
    }
  }
  const visitBlocks = (list: readonly Block[]) => {
    for (const block of list) {
      if ('content' in block) visit(block.content)
      else if (block.kind === 'quote') visitBlocks(block.blocks)
      else if (block.kind === 'list') block.items.forEach(visitBlocks)
      else if (block.kind === 'table') for (const cell of block.rows.flat()) visit(cell)
    }
  }
  visitBlocks(blocks)
  return [...found].map(([href, text]) => ({ text, href }))
}

function wordsOf(inlines: readonly Inline[]): string {
  return inlines
    .map((part) => {
      if ('text' in part) return part.text
      if (part.kind === 'image') return part.alt
      return part.kind === 'break' ? ' ' : wordsOf(part.content)
    })
    .join('')
    .trim()
}

/**
 * Returns as many whole blocks as fit into a number of characters, so that no table, code or link is cut; if
 * they fill less than half, also as much of the next block as fits. The serialised text never exceeds the
 * limit.
 */
function cutContent(
  blocks: readonly Block[],
  maxChars: number,
  write: (blocks: readonly Block[]) => string,
): { readonly retained: readonly Block[]; readonly isTruncated: boolean } {
  if (write(blocks).length <= maxChars) return { retained: blocks, isTruncated: false }
  // More blocks never render shorter, so binary search finds the number that fits.
  const count = maxThatFits(blocks.length, (number) => write(blocks.slice(0, number)).length <= maxChars)
  const whole = blocks.slice(0, count)
  const next = blocks[count]
  if (next === undefined || write(whole).length > maxChars / 2) return { retained: whole, isTruncated: true }
  const size = sizeOf(next)
  const part = maxThatFits(size, (number) => write([...whole, head(next, number)]).length <= maxChars)
  // A table header alone is useless.
  const min = next.kind === 'table' ? 1 : 0
  return { retained: part > min ? [...whole, head(next, part)] : whole, isTruncated: true }
}

/** The largest number in 0..most for which `fits` holds, provided that it holds for all smaller numbers. */
function maxThatFits(max: number, fits: (number: number) => boolean): number {
  let [low, high] = [0, max]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Number of parts that a block can be cut into. */
function sizeOf(block: Block): number {
  switch (block.kind) {
    case 'paragraph':
    case 'heading': {
      const [first] = block.content
      return block.content.length === 1 && first?.kind === 'text' ? first.text.length : block.content.length
    }
    case 'code':
      return block.text.split('\n').length
    case 'quote':
      return block.blocks.length
    case 'list':
      return block.items.length
    case 'table':
      return block.rows.length
    case 'rule':
      return 0
    default:
      return block satisfies never
  }
}

function head(block: Block, count: number): Block {
  switch (block.kind) {
    case 'paragraph':
    case 'heading': {
      const [first] = block.content
      const isText = block.content.length === 1 && first?.kind === 'text'
      const content = isText
        ? [{ kind: 'text' as const, text: wholeCharacters(first.text.slice(0, count)).trimEnd() }]
        : block.content.slice(0, count)
      return { ...block, content }
    }
    case 'code':
      return { ...block, text: block.text.split('\n').slice(0, count).join('\n') }
    case 'quote':
      return { ...block, blocks: block.blocks.slice(0, count) }
    case 'list':
      return { ...block, items: block.items.slice(0, count) }
    case 'table':
      return { ...block, rows: block.rows.slice(0, count) }
    case 'rule':
      return block
    default:
      return block satisfies never
  }
}

/** Drops half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1)
}
