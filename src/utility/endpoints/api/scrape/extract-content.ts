import { type ExtractOptions, extractPage } from '../../../../engines/extract/extract-page.ts'
import { openPage } from '../../../page/open-page.ts'
import type { PageSource } from '../../../page/read-page.ts'
import { type RenderOptions, renderPage } from './render-page.ts'

type ContentOptions = RenderOptions & ExtractOptions

/** The job of the endpoint. */
export function extractContent({
  source,
  options,
}: {
  readonly source: PageSource
  readonly options: ContentOptions
}) {
  return openPage(source, ({ html }) => ({
    ...renderPage(extractPage(html, source.url, options), options),
    ...(options.formats?.includes('raw_html') && { rawHtml: html.slice(0, options.maxChars) }),
    hasScripts: SCRIPT.test(html),
  }))
}

/**
 * Matches a script that runs, rather than data (HTML, section 4.12.1); attributes are scanned only so far.
 */
const SCRIPT =
  /<script\b(?![^>]{0,200}\stype\s*=\s*["']?(?!module\b|text\/(?:java|ecma)script\b|application\/(?:x-)?(?:java|ecma)script\b)[a-z])/i
