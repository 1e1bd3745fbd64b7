import { openPage } from '../../../../page/open-page.ts'
import type { PageSource } from '../../../../page/read-page.ts'
import { auditAlternatives } from './audit-alternatives.ts'

/** The job of the endpoint. */
export function checkAlternatives({
  source,
  maxLength,
}: {
  readonly source: PageSource
  readonly maxLength: number
}) {
  return openPage(source, ({ html }) => auditAlternatives({ html, url: source.url, maxLength }))
}
