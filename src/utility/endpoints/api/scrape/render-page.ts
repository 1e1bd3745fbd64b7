import { readBlocks } from '../../../../engines/extract/document/read-blocks.ts'
import { writeHtml } from '../../../../engines/extract/document/write-html.ts'
import { writeMarkdown } from '../../../../engines/extract/document/write-markdown.ts'
import { writeText } from '../../../../engines/extract/document/write-text.ts'
import type { ExtractedPage } from '../../../../engines/extract/extract-page.ts'
import { countWords } from '../../../../engines/extract/words.ts'
import { cutContent } from './cut-content.ts'
import { type FoundLink, findLinks } from './find-links.ts'

export type RenderOptions = {
  readonly includeLinks: boolean
  readonly includeImages: boolean
  readonly format: 'markdown' | 'text' | 'html'
  /** Maximum characters of the content. */
  readonly maxChars: number
}

export type RenderedPage = Omit<ExtractedPage, 'tree'> & {
  readonly content: string
  readonly isTruncated: boolean
  readonly words: number
  readonly links: readonly FoundLink[]
}

const WRITERS = { markdown: writeMarkdown, text: writeText, html: writeHtml }

/** Renders the extracted content in the requested format. */
export function renderPage({ tree, ...page }: ExtractedPage, options: RenderOptions): RenderedPage {
  const { includeLinks, includeImages, format, maxChars } = options
  const blocks = readBlocks(tree, { baseUrl: page.head.baseUrl, includeLinks, includeImages })
  const { kept, isTruncated } = cutContent(blocks, maxChars, WRITERS[format])
  return {
    ...page,
    content: WRITERS[format](kept),
    isTruncated,
    words: countWords(writeText(kept)),
    links: findLinks(kept),
  }
}
