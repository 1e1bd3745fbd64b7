import { rollingEdition } from '../published/edition-name.ts'
import type { PublishedReport } from '../published/published-report.ts'
import { type Check, compare } from './check.ts'

/** A URL of the service; none for a file, or for a copy at another path. */
const REPORT_PATH = /\/merchants\/base\/([^/]+)\.json$/

/** Checks that a URL returns what it names: the report of another merchant or window would be verified, too. */
export function checkLocation(
  location: string,
  {
    report,
    inputs,
  }: {
    readonly report: PublishedReport
    readonly inputs: { readonly edition: string; readonly revision: number }
  },
): readonly Check[] {
  const url = URL.parse(location)
  const [, merchant] = REPORT_PATH.exec(url?.pathname ?? '') ?? []
  if (!url || merchant === undefined) return []
  const { week, days = '7', revision } = Object.fromEntries(url.searchParams)
  const edition = week ?? rollingEdition(Number(days))
  return [
    compare({ field: 'url.merchant', published: report.address, expected: merchant.toLowerCase() }),
    compare({ field: 'url.window', published: inputs.edition, expected: edition }),
    ...(revision === undefined
      ? []
      : [compare({ field: 'url.revision', published: inputs.revision, expected: Number(revision) })]),
  ]
}
