import { ProblemError } from '../../../http/problem.ts'
import { defineJob } from '../../../workers/job.ts'
import type { WorkerPool } from '../../../workers/pool.ts'
import type { Ocr, OcrImage } from '../../ocr/open-ocr.ts'
import { documentKindOf } from '../document-kind.ts'
import type { PageSource } from '../read-page.ts'
import { workOnPage } from '../work-on-page.ts'
import type { ScannedPages } from './read-document.ts'

const pageJob = defineJob<typeof import('./draw-scanned-page.ts').drawScannedPage>({
  module: new URL('./draw-scanned-page.ts', import.meta.url),
  name: 'drawScannedPage',
  deadlineMs: 8_000,
})

/** Pages of a scanned PDF that are read; each takes one to three seconds. */
const MAX_OCR_PAGES = 10

export type DocumentCall = {
  readonly ports: { readonly workers: WorkerPool; readonly ocr: Ocr | null }
  readonly signal: AbortSignal
}

/**
 * Works on a document; if it is an image, or a PDF with scanned pages, on the text that is recognised in it.
 * @param work returns the scanned pages that it found
 * @throws ProblemError, which is not charged, if the document has no other text and none is recognised
 */
export async function workOnDocument<Result extends { readonly scanned: ScannedPages }>(
  source: PageSource,
  call: DocumentCall,
  work: (source: PageSource) => Promise<Result>,
): Promise<{ readonly found: Result; readonly isRecognised: boolean; readonly isCut: boolean }> {
  if (documentKindOf(source) === 'image') {
    const paragraphs = await readImage(call, async () => ({ bytes: source.body, isPrepared: false }))
    if (paragraphs.length === 0) throw noText()
    const body = new TextEncoder().encode(paragraphs.join('\n\n'))
    const text = { url: source.url, contentType: 'text/plain; charset=utf-8', body }
    return { found: await work(text), isRecognised: true, isCut: false }
  }
  const found = await work(source)
  const { pages, unreadable, isAll } = found.scanned
  if (pages.length === 0) return { found, isRecognised: false, isCut: false }
  const recognised = new Map<number, readonly string[]>()
  let isCut = pages.length > MAX_OCR_PAGES
  for (const page of pages.slice(0, MAX_OCR_PAGES)) {
    try {
      const paragraphs = await readImage(call, async () => ({
        bytes: await workOnPage(pageJob, { body: source.body, page }, call),
        isPrepared: true,
      }))
      if (paragraphs.length > 0) recognised.set(page, paragraphs)
      // It has text, which the answer lacks.
      else if (unreadable.includes(page)) isCut = true
    } catch (error) {
      // The other pages are worth an answer that says what it lacks.
      if (isAll || !(error instanceof ProblemError)) throw error
      isCut = true
    }
  }
  if (recognised.size > 0) return { found: await work({ ...source, recognised }), isRecognised: true, isCut }
  if (isAll) throw noText()
  return { found, isRecognised: false, isCut }
}

async function readImage(
  { ports, signal }: DocumentCall,
  draw: () => Promise<OcrImage>,
): Promise<readonly string[]> {
  if (!ports.ocr) throw new ProblemError({ code: 'not_configured', detail: NOT_INSTALLED })
  return ports.ocr.read(await draw(), signal)
}

function noText(): ProblemError {
  return new ProblemError({ code: 'cannot_be_served', detail: 'No text was found in the image.' })
}

const NOT_INSTALLED =
  'Text recognition is not installed here: npm ci --include=optional adds tesseract.js and its English data.'
