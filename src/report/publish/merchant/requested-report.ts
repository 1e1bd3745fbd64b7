import { ProblemError } from '../../../http/problem.ts'
import type { MerchantReport } from '../../build/merchant-report.ts'
import { ROLLING } from '../editions/publish-run.ts'
import type { StoredReport } from '../editions/stored-reports.ts'
import { readQuery } from '../serving/query.ts'
import type { ReportContext, ReportPorts } from '../serving/route.ts'

/** Pattern of Hono's router; accepts any case. */
export const ADDRESS_PATTERN = '0[xX][0-9a-fA-F]{40}'
/** A published week changes only by a correction, which is rare, so it may be cached for an hour. */
export const WEEK_MAX_AGE_SECONDS = 3600

/** The address in the path of a request, in lower case. */
export function readAddress(context: ReportContext): string {
  return (context.req.param('file') ?? '').replace(/\.json$/, '').toLowerCase()
}

/**
 * The stored report that a request names by its path and the parameters week and revision.
 * @throws ProblemError `not_found` when nothing was published for the address in that window,
 * `invalid_request` for a revision without a week.
 */
export async function findReport(context: ReportContext, { reader }: ReportPorts): Promise<StoredReport> {
  const address = readAddress(context)
  const week = readQuery(context, 'week')
  const revision = readRevision(context)
  const stored = await reader.report(week ?? ROLLING, address, revision)
  if (stored) return stored
  const which = revision === undefined ? '' : ` in revision ${revision}`
  const when = week === undefined ? 'was found' : `was published for the week to ${week}${which}`
  throw new ProblemError({ code: 'not_found', detail: `No x402 payment to ${address} ${when}.` })
}

/**
 * The revision of a week that a request names; undefined selects the newest.
 * @throws ProblemError `invalid_request` for a revision without a week.
 */
export function readRevision(context: ReportContext): number | undefined {
  const revision = readQuery(context, 'revision')
  if (revision === undefined || readQuery(context, 'week') !== undefined) return revision
  const detail = 'revision requires week, because only published weeks have revisions.'
  throw new ProblemError({
    code: 'invalid_request',
    detail,
    faults: [{ parameter: 'revision', detail }],
  })
}

export function parseReport(stored: StoredReport): MerchantReport {
  // publishRun writes this very type.
  return JSON.parse(stored.body) as MerchantReport
}

/** How long a cache may store a response that is made from a report, seconds. */
export function maxAgeOf(stored: StoredReport, { maxAgeSeconds }: ReportPorts): number {
  return stored.edition === ROLLING ? maxAgeSeconds : WEEK_MAX_AGE_SECONDS
}
