import type { Block, Inline } from '../../../engines/extract/document/block.ts'
import { readBlocks } from '../../../engines/extract/document/read-blocks.ts'
import { writeHtml } from '../../../engines/extract/document/write-html.ts'
import { writeMarkdown } from '../../../engines/extract/document/write-markdown.ts'
import { writeText } from '../../../engines/extract/document/write-text.ts'
import type { ExtractedPage } from '../../../engines/extract/extract-page.ts'
import { countWords } from '../../../engines/extract/words.ts'
import { cutContent } from './cut-content.ts'

type Format = 'markdown' | 'text' | 'html'

export type RenderOptions = {
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
}

export type RenderedPage = ContentSource & {
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
export function renderPage({ tree, ...page }: ExtractedPage, options: RenderOptions): RenderedPage {
  const { includeLinks, includeImages } = options
  const blocks = readBlocks(tree, { baseUrl: page.head.baseUrl, includeLinks, includeImages })
  return renderBlocks(page, blocks, options)
}

/** Renders the blocks of a page or another document in the requested format. */
export function renderBlocks(
  page: ContentSource,
  blocks: readonly Block[],
  options: RenderOptions,
): RenderedPage {
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
