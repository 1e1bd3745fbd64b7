import { type CheckOptions, checkPage } from '@tollbook/a11y/check-page'
import { createPageModel, findSheets } from '@tollbook/a11y/page-model'
import { parsePage } from '@tollbook/a11y/tree/page-tree'
import { openPage } from '../../../../page/open-page.ts'
import type { PageSource } from '../../../../page/read-page.ts'

/** First job: the absolute URLs of the stylesheets that the page links. */
export function listSheets(source: PageSource) {
  return openPage(source, ({ html }) => findSheets(parsePage(html), source.url))
}

/** Second job: checks the page with the stylesheets that could be fetched. */
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
