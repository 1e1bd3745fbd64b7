import { type ExtractOptions, extractPage } from '@tollbook/extract/extract-page'
import { documentKindOf } from '../document-kind.ts'
import { type BlockKind, NOT_SCANNED, readDocument, type ScannedPages } from '../documents/read-document.ts'
import { openPage, type PageResult } from '../open-page.ts'
import type { PageSource } from '../read-page.ts'
import {
  type SerialisedPage,
  type SerialiseOptions,
  serialiseBlocks,
  serialisePage,
} from './serialise-page.ts'

/** A book; of longer documents the beginning is read. */
const MAX_PDF_PAGES = 500

type ContentOptions = SerialiseOptions & ExtractOptions
type Extraction = { readonly source: PageSource; readonly options: ContentOptions }
type ExtractedContent = SerialisedPage & {
  readonly hasScripts: boolean
  readonly rawHtml?: string
  readonly scanned: ScannedPages
}

/** The job of the endpoint. */
export async function extractContent({ source, options }: Extraction): Promise<PageResult<ExtractedContent>> {
  const kind = documentKindOf(source)
  if (kind !== null && kind !== 'html') return extractDocument(source, kind, options)
  return extractMarkup({ source, options })
}

export function extractMarkup({ source, options }: Extraction): PageResult<ExtractedContent> {
  return openPage(source, ({ html }) => ({
    ...serialisePage(extractPage(html, source.url, options), options),
    ...(options.formats?.includes('raw_html') && { rawHtml: html.slice(0, options.maxChars) }),
    hasScripts: SCRIPT.test(html),
    scanned: NOT_SCANNED,
  }))
}

async function extractDocument(
  source: PageSource,
  kind: BlockKind,
  options: ContentOptions,
): Promise<PageResult<ExtractedContent>> {
  const { include = [], exclude = [] } = options.selection ?? {}
  if (include.length + exclude.length > 0)
    return { refusal: 'Selectors need HTML, which the document is not.' }
  const read = await readDocument(source, kind, { ...options, maxPages: MAX_PDF_PAGES })
  if ('refusal' in read) return read
  const { head, blocks, scanned, isCut } = read.result
  const serialised = serialiseBlocks({ head, extractor: 'document', pageType: null }, blocks, options)
  if (serialised.words === 0 && scanned.pages.length === 0) return { refusal: 'The document is empty.' }
  return {
    result: { ...serialised, isTruncated: serialised.isTruncated || isCut, hasScripts: false, scanned },
  }
}

/** Matches a script that runs, rather than data (HTML, section 4.12.1); attributes are scanned only so far. */
const SCRIPT =
  /<script\b(?![^>]{0,200}\stype\s*=\s*["']?(?!module\b|text\/(?:java|ecma)script\b|application\/(?:x-)?(?:java|ecma)script\b)[a-z])/i
