import { readBlocks } from '../../../../engines/extract/document/read-blocks.ts'
import { proseOf } from '../../../../engines/extract/document/write-text.ts'
import { extractPage } from '../../../../engines/extract/extract-page.ts'
import { countWords } from '../../../../engines/extract/words.ts'
import { type ChosenSentence, summarize } from '../../../../engines/summary/summarize.ts'
import { documentKindOf } from '../../../page/documents/document-kind.ts'
import { readDocument } from '../../../page/documents/read-document.ts'
import { paragraphsOf } from '../../../page/documents/read-text.ts'
import { openPage, type PageResult } from '../../../page/open-page.ts'
import type { PageSource } from '../../../page/read-page.ts'

/** A book; longer documents are summarised by their beginning. */
const MAX_PDF_PAGES = 500

export type PageSummary = {
  readonly title: string | null
  readonly lang: string | null
  readonly chosen: readonly ChosenSentence[]
  readonly sentenceCount: number
  readonly wordCount: number
  /** Pages of a PDF without any text. */
  readonly scannedPages: number
}

/** The job for a page or another document. */
export async function summarizePage({
  source,
  sentences,
}: {
  readonly source: PageSource
  readonly sentences: number
}): Promise<PageResult<PageSummary>> {
  const kind = documentKindOf(source)
  const reading = { includeLinks: false, includeImages: false }
  if (kind !== null && kind !== 'html' && kind !== 'image') {
    const read = await readDocument(source, kind, { ...reading, maxPages: MAX_PDF_PAGES })
    if ('refusal' in read) return read
    const { head, blocks, scannedPages } = read.result
    const summary = summarizeParagraphs(proseOf(blocks), { title: head.title, lang: head.lang, sentences })
    return { result: { ...summary, scannedPages } }
  }
  return openPage(source, ({ html }): PageSummary => {
    const { head, tree } = extractPage(html, source.url, { isMainOnly: true, includeImages: false })
    const blocks = readBlocks(tree, { baseUrl: head.baseUrl, ...reading })
    return summarizeParagraphs(proseOf(blocks), { title: head.title, lang: head.lang, sentences })
  })
}

/** The job for a text; its paragraphs end with line breaks. */
export function summarizeText({
  text,
  title,
  lang,
  sentences,
}: {
  readonly text: string
  readonly title: string | null
  readonly lang: string | null
  readonly sentences: number
}): PageSummary {
  return summarizeParagraphs(paragraphsOf(text), { title, lang, sentences })
}

function summarizeParagraphs(
  paragraphs: readonly string[],
  options: { readonly title: string | null; readonly lang: string | null; readonly sentences: number },
): PageSummary {
  return {
    title: options.title,
    lang: options.lang,
    scannedPages: 0,
    wordCount: paragraphs.reduce((sum, paragraph) => sum + countWords(paragraph), 0),
    ...summarize(paragraphs, options),
  }
}
