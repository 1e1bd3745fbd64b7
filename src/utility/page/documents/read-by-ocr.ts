import { ProblemError } from '../../../http/problem.ts'
import { defineJob } from '../../../workers/job.ts'
import type { WorkerPool } from '../../../workers/pool.ts'
import type { Ocr } from '../../ocr/open-ocr.ts'
import type { PageSource } from '../read-page.ts'
import { workOnPage } from '../work-on-page.ts'
import { documentKindOf } from './document-kind.ts'

const module = new URL('./ocr-images.ts', import.meta.url)
type Work = typeof import('./ocr-images.ts')
const imageJob = defineJob<Work['prepareImage']>({ module, name: 'prepareImage', deadlineMs: 8_000 })
const pageJob = defineJob<Work['preparePdfPage']>({ module, name: 'preparePdfPage', deadlineMs: 8_000 })

/** Pages of a scanned PDF that are read; each takes one to three seconds. */
const MAX_OCR_PAGES = 10

type Call = {
  readonly ports: { readonly workers: WorkerPool; readonly ocr: Ocr | null }
  readonly signal: AbortSignal
}

/**
 * The text in an image, or in the first pages of a scanned PDF, as a plain text.
 * @param pages of the PDF; 0 for an image
 * @throws ProblemError `cannot_be_served`, which is not charged, if there is none
 */
async function readByOcr(source: PageSource, pages: number, call: Call): Promise<PageSource> {
  const { ocr } = call.ports
  if (!ocr) throw new ProblemError({ code: 'not_configured', detail: NOT_INSTALLED })
  const paragraphs: string[] = []
  if (pages === 0)
    paragraphs.push(...(await ocr.read(await workOnPage(imageJob, source.body, call), call.signal)))
  for (let page = 1; page <= Math.min(pages, MAX_OCR_PAGES); page += 1) {
    const image = await workOnPage(pageJob, { body: source.body, page }, call)
    paragraphs.push(...(await ocr.read(image, call.signal)))
  }
  if (paragraphs.length === 0)
    throw new ProblemError({ code: 'cannot_be_served', detail: 'No text was found in the image.' })
  return {
    url: source.url,
    contentType: 'text/plain; charset=utf-8',
    body: new TextEncoder().encode(paragraphs.join('\n\n')),
  }
}

/**
 * Works on a document, or on the text that is recognised in it if it is an image or a scanned PDF.
 * @param work returns how many pages without any text it found
 */
export async function workOnDocument<Result extends { readonly scannedPages: number }>(
  source: PageSource,
  call: Call,
  work: (source: PageSource) => Promise<Result>,
): Promise<{ readonly found: Result; readonly isRecognised: boolean; readonly isCut: boolean }> {
  const kind = documentKindOf(source)
  if (kind === 'image')
    return { found: await work(await readByOcr(source, 0, call)), isRecognised: true, isCut: false }
  const found = await work(source)
  const pages = found.scannedPages
  if (pages === 0) return { found, isRecognised: false, isCut: false }
  const text = await readByOcr(source, pages, call)
  return { found: await work(text), isRecognised: true, isCut: pages > MAX_OCR_PAGES }
}

const NOT_INSTALLED =
  'Text recognition is not installed here: npm ci --include=optional adds tesseract.js and its English data.'
