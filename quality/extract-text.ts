import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { writeText } from '@tollbook/extract/document/write-text'
import { extractPage } from '@tollbook/extract/extract-page'
import { openPage } from '@tollbook/utility/page/open-page'

export type ExtractedText = {
  readonly text: string
  /** The same without the first heading of level 1. */
  readonly body: string
  /** `refused` for a page that the service would reject. */
  readonly extractor: string
  readonly pageType: string
  /** From the bytes of the page to the blocks of its Markdown, in ms of wall-clock time. */
  readonly ms: number
  /** The same in processor time of all threads, in ms; it does not depend on the load of the machine. */
  readonly cpuMs: number
}

/** The content of a page as the service extracts it, and the time that took. */
export function extractText(body: Uint8Array, url: string): ExtractedText {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const opened = openPage({ url, contentType: 'text/html', body }, ({ html }) => {
    const page = extractPage(html, url, { isMainOnly: true, includeImages: false })
    const blocks = readBlocks(page.tree, { baseUrl: url, includeLinks: false, includeImages: false })
    const title = blocks.findIndex((block) => block.kind === 'heading' && block.level === 1)
    const body = writeText(blocks.filter((_, at) => at !== title))
    return { text: writeText(blocks), body, extractor: page.extractor, pageType: page.pageType }
  })
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const cpuMs = (user + system) / 1_000
  if ('refusal' in opened) return { text: '', body: '', extractor: 'refused', pageType: 'refused', ms, cpuMs }
  return { ...opened.result, ms, cpuMs }
}
