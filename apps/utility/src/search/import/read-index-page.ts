import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { writeText } from '@tollbook/extract/document/write-text'
import { extractPage } from '@tollbook/extract/extract-page'
import { inventoryHead } from '@tollbook/extract/head/head-inventory'
import { openPage } from '../../page/open-page.ts'
import type { PageSource } from '../../page/read-page.ts'
import { MAX_CONTENT_LENGTH, type PageRecord } from '../pages/page-record.ts'
import { type PageWords, wordsOfPage } from '../pages/page-store.ts'

export type ReadPage = {
  /** Keyed by the fetched URL: rel=canonical is untrusted. */
  readonly page: PageRecord
  readonly words: PageWords
  /** Whether the page forbids indexing (`noindex`). */
  readonly isHidden: boolean
}

const NEWS = /^(?:\w*newsarticle|liveblogposting)$/

/** Markers of an ATX heading (CommonMark 4.2), which are not part of its text. */
const HEADING_MARK = /^ {0,3}#{1,6}(?=[ \t])/gm

export function readIndexPage(source: PageSource) {
  return openPage(source, ({ html }): ReadPage => {
    const { head, tree } = extractPage(html, source.url, { isMainOnly: true, includeImages: false })
    const blocks = readBlocks(tree, { baseUrl: head.baseUrl, includeLinks: false, includeImages: false })
    const { meta } = inventoryHead(html, source.url)
    const robots = meta.named.filter(({ key }) => /^(?:robots|tollbook)$/i.test(key))
    const page = {
      url: source.url,
      title: toLines(head.title ?? ''),
      content: toLines(writeText(blocks)),
      publishedAt: head.publishedAt === null ? null : new Date(head.publishedAt),
      isNews: head.types.some((type) => NEWS.test(type)),
    }
    const isHidden = robots.some(({ content }) => forbidsIndex(content))
    return { page, words: wordsOfPage(page), isHidden }
  })
}

/** A page of plain text or Markdown; its first heading or line is its title. */
export function readPlainPage({ url, text }: { readonly url: string; readonly text: string }): ReadPage {
  const lines = toLines(text.replace(/^\ufeff/, '').replaceAll(HEADING_MARK, ''))
  const title = /^.{1,300}/.exec(lines)?.[0].trim() ?? ''
  const page = { url, title, content: lines, publishedAt: null, isNews: false }
  return { page, words: wordsOfPage(page), isHidden: false }
}

function toLines(text: string): string {
  const lines = text.split(/\n+/).map((line) => line.replace(/\s+/g, ' ').trim())
  return (
    lines
      .filter((line) => line !== '')
      .join('\n')
      .slice(0, MAX_CONTENT_LENGTH)
      .toWellFormed()
      // PostgreSQL does not store NUL characters.
      .replaceAll('\0', '')
  )
}

/** Whether a robots tag, or the header `X-Robots-Tag`, forbids indexing. */
export function forbidsIndex(content: string): boolean {
  return /\b(?:noindex|none)\b/i.test(content)
}
