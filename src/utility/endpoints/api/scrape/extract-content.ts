import { type ExtractOptions, extractPage } from '../../../extract/extract-page.ts'
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
  return openPage(source, ({ html }) => renderPage(extractPage(html, source.url, options), options))
}
