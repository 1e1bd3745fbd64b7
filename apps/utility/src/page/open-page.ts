import { TooComplex } from '@tollbook/flow/failure'
import { checkMarkup } from '@tollbook/safe-fetch/markup-bounds'
import { decodeHtml } from './decode-html.ts'
import type { PageSource } from './read-page.ts'

/** Result of a job in a worker, or why the page cannot be processed. */
export type PageResult<Result> = { readonly result: Result } | { readonly refusal: string }

/**
 * Runs work on a page's text, in a worker, once it is known to be of a bearable size.
 * @example
 * export const inventory = (source: PageSource) => openPage(source, ({ html }) => inventoryHead(html, source.url))
 */
export function openPage<Result>(
  source: PageSource,
  work: (page: { readonly html: string; readonly charset: string }) => Result,
): PageResult<Result> {
  const { text, charset } = decodeHtml(source.body, source.contentType)
  try {
    checkMarkup(text)
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return { refusal: `The page cannot be processed: ${error.message}.` }
  }
  return { result: work({ html: text, charset }) }
}
