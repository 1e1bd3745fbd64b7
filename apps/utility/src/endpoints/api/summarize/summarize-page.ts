import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { proseOf } from '@tollbook/extract/document/write-text'
import { extractPage } from '@tollbook/extract/extract-page'
import { isProse } from '@tollbook/extract/summary/is-prose'
import { type ChosenSentence, summarize } from '@tollbook/extract/summary/summarize'
import { countWords } from '@tollbook/extract/words'
import { documentKindOf } from '../../../page/document-kind.ts'
import { NOT_SCANNED, readDocument, type ScannedPages } from '../../../page/documents/read-document.ts'
import { paragraphsOf } from '../../../page/documents/read-text.ts'
import { openPage, type PageResult } from '../../../page/open-page.ts'
import type { PageSource } from '../../../page/read-page.ts'
import { detectLanguage } from '../../../translate/language/detect-language.ts'

/** A book; longer documents are summarised by their beginning. */
const MAX_PDF_PAGES = 500
/** Characters of a text that show its language. */
const MAX_DETECTED = 2_000

export type PageSummary = {
  readonly title: string | null
  /** As declared, else as detected; null if the text is too short or unclear. */
  readonly lang: string | null
  readonly chosen: readonly ChosenSentence[]
  /** The sentences that a model reads, in the order of the text. */
  readonly sources: readonly ChosenSentence[]
  readonly sentenceCount: number
  readonly wordCount: number
  readonly scanned: ScannedPages
}

/** How many sentences are chosen for the summary, and for a model that writes it. */
type Counts = { readonly sentences: number; readonly sources: number }

/** The job for a page or another document. */
export async function summarizePage({
  source,
  ...counts
}: Counts & { readonly source: PageSource }): Promise<PageResult<PageSummary>> {
  const kind = documentKindOf(source)
  const reading = { includeLinks: false, includeImages: false }
  if (kind !== null && kind !== 'html') {
    const read = await readDocument(source, kind, { ...reading, maxPages: MAX_PDF_PAGES })
    if ('refusal' in read) return read
    const { head, blocks, scanned } = read.result
    const summary = await summarizeParagraphs(proseOf(blocks), { ...counts, ...head })
    return { result: { ...summary, scanned } }
  }
  const opened = openPage(source, ({ html }) => {
    const { head, tree } = extractPage(html, source.url, { isMainOnly: true, includeImages: false })
    const paragraphsWith = (includeLinks: boolean) =>
      proseOf(readBlocks(tree, { baseUrl: head.baseUrl, includeLinks, includeImages: false }))
    const unlinked = paragraphsWith(true)
    return { head, paragraphs: unlinked.length > 0 ? unlinked : paragraphsWith(false) }
  })
  if ('refusal' in opened) return opened
  const { head, paragraphs } = opened.result
  const summary = await summarizeParagraphs(paragraphs, { ...counts, ...head })
  // Prices and labels of a page that has nothing else are no summary of it.
  const hasProse = summary.chosen.some(({ text }) => isProse(text))
  return { result: hasProse ? summary : { ...summary, chosen: [], sources: [] } }
}

/** The job for a text; its paragraphs end with line breaks. */
export function summarizeText({
  text,
  ...options
}: Options & { readonly text: string }): Promise<PageSummary> {
  return summarizeParagraphs(paragraphsOf(text), options)
}

type Options = Counts & { readonly title: string | null; readonly lang: string | null }

async function summarizeParagraphs(
  paragraphs: readonly string[],
  { title, lang: declared, sentences, sources }: Options,
): Promise<PageSummary> {
  const lang = declared ?? (await languageOf(paragraphs))
  return {
    title,
    lang,
    scanned: NOT_SCANNED,
    wordCount: paragraphs.reduce((sum, paragraph) => sum + countWords(paragraph), 0),
    sources: sources === 0 ? [] : summarize(paragraphs, { title, lang, sentences: sources }).chosen,
    ...summarize(paragraphs, { title, lang, sentences }),
  }
}

async function languageOf(paragraphs: readonly string[]): Promise<string | null> {
  const { scores, isReliable } = await detectLanguage({ text: paragraphs.join(' ').slice(0, MAX_DETECTED) })
  return isReliable ? (scores[0]?.[0] ?? null) : null
}
