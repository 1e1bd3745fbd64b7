import { inventoryHead } from '@tollbook/extract/head/head-inventory'
import { openPage } from '../../../../page/open-page.ts'
import type { PageSource } from '../../../../page/read-page.ts'

/** The job of the endpoint. */
export function readMetadata(source: PageSource) {
  return openPage(source, ({ html, charset }) => ({ ...inventoryHead(html, source.url), encoding: charset }))
}
