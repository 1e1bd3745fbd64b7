import { ProblemError } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { Ocr, OcrImage, RecognisedText } from '../../ocr/open-ocr.ts'
import { documentKindOf } from '../document-kind.ts'
import type { PageSource } from '../read-page.ts'
import { workOnPage } from '../work-on-page.ts'
import { type ScannedPages, wordSetOf } from './read-document.ts'

const pageJob = defineJob<typeof import('./draw-scanned-page.ts').drawScannedPage>({
  module: new URL('./draw-scanned-page.ts', import.meta.url),
  name: 'drawScannedPage',
  deadlineMs: 8_000,
})

/** Pages of a scanned PDF that are read; each takes one to three seconds. */
const MAX_OCR_PAGES = 10
/** Uncertain words that an answer names. */
const MAX_UNCERTAIN = 200

export type DocumentCall = {
  readonly ports: { readonly workers: WorkerPool; readonly ocr: Ocr | null }
  readonly signal: AbortSignal
}

/** How sure recognised text is, and what it lacks. */
export type Recognition = {
  /** Of the words, 0 to 1; of several pages the lowest. */
  readonly confidence: number
  /** Words of the text that may be wrong. */
  readonly uncertain: readonly string[]
  /** Places that look like text of which nothing was read. */
  readonly unread: number
}

type Worked<Result> = {
  readonly found: Result
  /** Null if no text was recognised. */
  readonly recognition: Recognition | null
  readonly isCut: boolean
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
): Promise<Worked<Result>> {
  if (documentKindOf(source) === 'image') {
    const text = await readImage(call, async () => ({ bytes: source.body }))
    if (text.blocks.length === 0) throw noText(text.unread)
    const recognised = new Map([[1, text.blocks]])
    return {
      found: await work({ ...source, recognised }),
      recognition: toRecognition([text]),
      isCut: false,
    }
  }
  const found = await work(source)
  const { pages, unreadable, isAll } = found.scanned
  if (pages.length === 0) return { found, recognition: null, isCut: false }
  const recognised = new Map<number, RecognisedText>()
  let [isCut, unread] = [pages.length > MAX_OCR_PAGES, 0]
  for (const page of pages.slice(0, MAX_OCR_PAGES)) {
    try {
      const text = await readImage(call, async () => ({
        bytes: await workOnPage(pageJob, { body: source.body, page }, call),
      }))
      const known = found.scanned.words.get(page)
      // What the page says itself is exact.
      const isNew = [...wordSetOf(text.blocks)].some((word) => !known?.has(word))
      if (isNew) recognised.set(page, text)
      // It has text, which the answer lacks.
      else if (unreadable.includes(page)) isCut = true
      unread += text.unread
    } catch (error) {
      // The other pages are worth an answer that says what it lacks.
      if (isAll || !(error instanceof ProblemError)) throw error
      isCut = true
    }
  }
  if (recognised.size > 0) {
    const blocks = new Map([...recognised].map(([page, text]) => [page, text.blocks]))
    const recognition = { ...toRecognition([...recognised.values()]), unread }
    return { found: await work({ ...source, recognised: blocks }), recognition, isCut }
  }
  if (isAll) throw noText(unread)
  return { found, recognition: null, isCut }
}

function toRecognition(texts: readonly RecognisedText[]): Recognition {
  return {
    confidence: texts.reduce((min, { confidence }) => Math.min(min, confidence), 1),
    uncertain: texts.flatMap(({ uncertain }) => uncertain).slice(0, MAX_UNCERTAIN),
    unread: texts.reduce((sum, { unread }) => sum + unread, 0),
  }
}

async function readImage(
  { ports, signal }: DocumentCall,
  draw: () => Promise<OcrImage>,
): Promise<RecognisedText> {
  if (!ports.ocr) throw new ProblemError({ code: 'not_configured', detail: NOT_INSTALLED })
  return ports.ocr.read(await draw(), signal)
}

/** @param unread places that look like text */
function noText(unread: number): ProblemError {
  const detail = unread >= FEW_PLACES ? NOT_ENGLISH : 'No text was found in the image.'
  return new ProblemError({ code: 'cannot_be_served', detail })
}

/** So many places that look like text are some, also if a few are none. */
const FEW_PLACES = 4
const NOT_ENGLISH =
  'No text that can be read was found in the image: only printed English is recognised, in letters of at least 8 pixels, no other languages or scripts and no handwriting.'

const NOT_INSTALLED =
  'Text recognition is not installed here: npm ci --include=optional adds tesseract.js and its English data.'
