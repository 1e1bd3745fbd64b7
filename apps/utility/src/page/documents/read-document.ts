import type { Block } from '@tollbook/extract/document/block'
import { writeText } from '@tollbook/extract/document/write-text'
import { readPdf } from '@tollbook/extract/pdf/read-pdf'
import type { PageHead } from '@tollbook/extract/read-head'
import { TooComplex } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import { checkMarkup } from '@tollbook/safe-fetch/markup-bounds'
import { decodeHtml } from '../decode-html.ts'
import type { DocumentKind } from '../document-kind.ts'
import type { PageResult } from '../open-page.ts'
import type { PageSource } from '../read-page.ts'
import { readFeed } from './read-feed.ts'
import { readMarkdown } from './read-markdown.ts'
import { readText } from './read-text.ts'

/** Kinds that become blocks; an image with the text that was recognised in it. */
export type BlockKind = Exclude<DocumentKind, 'html'>

export type DocumentOptions = {
  readonly includeLinks: boolean
  readonly includeImages: boolean
  readonly maxPages: number
}

/** The pages of a PDF whose text is in pictures, and whether the document has no other text. */
export type ScannedPages = {
  readonly pages: readonly number[]
  /** Those of them that have text, which is not recognised by its fonts. */
  readonly unreadable: readonly number[]
  readonly isAll: boolean
  /** The words that these pages have besides, such as those of a stamp. */
  readonly words: ReadonlyMap<number, ReadonlySet<string>>
}

export const NOT_SCANNED: ScannedPages = { pages: [], unreadable: [], isAll: false, words: new Map() }

export type ReadDocument = {
  readonly head: PageHead
  readonly blocks: readonly Block[]
  readonly scanned: ScannedPages
  /** Whether pages or entries after a limit were not read. */
  readonly isCut: boolean
}

/** Reads a document that is no HTML into blocks, in a worker. */
export async function readDocument(
  source: PageSource,
  kind: BlockKind,
  options: DocumentOptions,
): Promise<PageResult<ReadDocument>> {
  try {
    if (kind === 'pdf') return await readPdfDocument(source, options)
    if (kind === 'image') return readRecognised(source)
    const { text } = decodeHtml(source.body, source.contentType)
    return readTextual(text, source, { kind, options })
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return { refusal: `The document cannot be processed: ${error.message}.` }
  }
}

async function readPdfDocument(
  source: PageSource,
  { maxPages }: DocumentOptions,
): Promise<PageResult<ReadDocument>> {
  const read = await readPdf(source.body, { maxPages })
  if ('refusal' in read) return { refusal: read.message }
  const head = headOf(source, {
    title: read.title,
    byline: read.author,
    lang: read.language,
    publishedAt: read.created,
    modifiedAt: read.modified,
  })
  const { recognised } = source
  const blocks = read.pages.flatMap((page) => addRecognised(page.blocks, recognised?.get(page.number) ?? []))
  const pages = recognised ? [] : read.pages.filter((page) => page.isScanned).map(({ number }) => number)
  const unreadable = recognised
    ? []
    : read.pages.filter((page) => page.isUnreadable).map(({ number }) => number)
  const words = new Map(
    read.pages
      .filter((page) => pages.includes(page.number))
      .map((page) => [page.number, wordSetOf(page.blocks)]),
  )
  const scanned = { pages, unreadable, isAll: blocks.length === 0, words }
  return { result: { head, blocks, scanned, isCut: read.isCut } }
}

function readRecognised(source: PageSource): PageResult<ReadDocument> {
  const blocks = source.recognised?.get(1) ?? []
  return { result: { head: headOf(source, {}), blocks, scanned: NOT_SCANNED, isCut: false } }
}

/** Text of a page is also in its picture, unless it was recognised wrongly. */
function addRecognised(blocks: readonly Block[], recognised: readonly Block[]): readonly Block[] {
  if (recognised.length === 0) return blocks
  const found = wordSetOf(recognised)
  const own = blocks.filter((block) => [...wordSetOf([block])].some((word) => !found.has(word)))
  return [...own, ...recognised]
}

/** Words in lower case. */
export function wordSetOf(blocks: readonly Block[]): ReadonlySet<string> {
  return new Set(
    writeText(blocks)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  )
}

function readTextual(
  text: string,
  source: PageSource,
  {
    kind,
    options,
  }: { readonly kind: Exclude<BlockKind, 'pdf' | 'image'>; readonly options: DocumentOptions },
): PageResult<ReadDocument> {
  const found = (known: Partial<PageHead>, blocks: readonly Block[], isCut = false) => ({
    result: { head: headOf(source, known), blocks, scanned: NOT_SCANNED, isCut },
  })
  switch (kind) {
    case 'text':
      return found({}, readText(text))
    case 'markdown': {
      const { title, blocks } = readMarkdown(text)
      return found({ title }, blocks)
    }
    case 'json':
      if (parseJson(source.body) === undefined)
        return { refusal: 'The document is not JSON, as its type says.' }
      return found({}, [{ kind: 'code', language: 'json', text: text.trim() }])
    case 'feed': {
      checkMarkup(text, { isXml: true })
      const feed = readFeed(text, { url: source.url, ...options })
      if (!feed) return { refusal: 'The document is neither RSS nor Atom, as its type says.' }
      const { title, description, byline, updatedAt } = feed
      return found({ title, description, byline, modifiedAt: updatedAt }, feed.blocks, feed.isCut)
    }
    default:
      return kind satisfies never
  }
}

function headOf({ url }: PageSource, known: Partial<PageHead>): PageHead {
  return {
    title: null,
    byline: null,
    siteName: null,
    lang: null,
    publishedAt: null,
    modifiedAt: null,
    canonicalUrl: null,
    description: null,
    image: null,
    baseUrl: url,
    types: [],
    ...known,
  }
}
