import { ProblemError } from '@tollbook/http/problem'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { toSpan } from '@tollbook/verify/build/window'
import { type RequestedVersion, toEditionName } from '@tollbook/verify/published/edition-name'
import type { StoredReport } from '../../editions/stored-reports.ts'
import type { ReportPorts } from './ports.ts'

/** A published week changes only by a correction, which is rare, so it may be cached for an hour. */
export const WEEK_MAX_AGE_SECONDS = 3600

/** The stored report of a wallet in a window. @throws ProblemError `not_found` */
export async function findReport(
  requested: RequestedVersion & { readonly address: string },
  { reader }: Pick<ReportPorts, 'reader'>,
): Promise<StoredReport> {
  const { address, week, revision, days } = requested
  const stored = await reader.report(toEditionName(requested), address, revision)
  if (stored) return stored
  const which = revision === undefined ? '' : ` in revision ${revision}`
  const found = days === undefined ? 'was found' : `was found in the newest ${toSpan(Number(days))}`
  const when = week === undefined ? found : `was published for the week to ${week}${which}`
  throw new ProblemError({ code: 'not_found', detail: `No x402 payment to ${address} ${when}.` })
}

export function parseReport(stored: StoredReport): MerchantReport {
  // toReportRows writes this very type.
  return JSON.parse(stored.body) as MerchantReport
}

/** When a response that is made from a report was changed, and how long a cache may store it, seconds. */
export function freshnessOf({ revision, changed_at }: StoredReport, { maxAgeSeconds }: ReportPorts) {
  return {
    lastModified: new Date(changed_at),
    maxAgeSeconds: revision === 0 ? maxAgeSeconds : WEEK_MAX_AGE_SECONDS,
  }
}
