import { type CheckOptions, checkPage } from '../../../../../engines/a11y/check-page.ts'
import { createPageModel, findSheets } from '../../../../../engines/a11y/page-model.ts'
import { parsePage } from '../../../../../engines/a11y/tree/page-tree.ts'
import { openPage } from '../../../../page/open-page.ts'
import type { PageSource } from '../../../../page/read-page.ts'

/** The first job: which sheets the page links, by absolute URL. */
export function listSheets(source: PageSource) {
  return openPage(source, ({ html }) => findSheets(parsePage(html), source.url))
}

/** The second job: the page with the sheets that could be read. */
export function checkSource({
  source,
  sheets,
  options,
}: {
  readonly source: PageSource
  readonly sheets: ReadonlyMap<string, string>
  readonly options: CheckOptions
}) {
  return openPage(source, ({ html }) =>
    checkPage(createPageModel({ html, url: source.url, sheets }), options),
  )
}
