import type { ExtractOptions } from '@tollbook/extract/extract-page'
import { defineJob } from '@tollbook/workers/job'
import { type DocumentCall, workOnDocument } from '../documents/read-by-ocr.ts'
import type { PageSource } from '../read-page.ts'
import { workOnPage } from '../work-on-page.ts'
import type { SerialiseOptions } from './serialise-page.ts'

const job = defineJob<typeof import('./extract-content.ts').extractContent>({
  module: new URL('./extract-content.ts', import.meta.url),
  name: 'extractContent',
  deadlineMs: 12_000,
})

/**
 * The content of a page or another document in the requested formats; of an image or a scan, its recognised text.
 * @throws ProblemError, none of which is charged, for a document that cannot be read
 */
export async function workOnContent(
  source: PageSource,
  options: SerialiseOptions & ExtractOptions,
  call: DocumentCall,
) {
  const { found, recognition, isCut } = await workOnDocument(source, call, (readable) =>
    workOnPage(job, { source: readable, options }, call),
  )
  const extractor = recognition ? ('ocr' as const) : found.extractor
  return { ...found, extractor, recognition, isTruncated: found.isTruncated || isCut }
}
