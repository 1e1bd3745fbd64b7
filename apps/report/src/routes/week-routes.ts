import type { FreeAnswer } from '@tollbook/endpoints/answer'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import { toUtcText } from '@tollbook/verify/build/compose-report'
import { utcTime } from '@tollbook/verify/build/merchant-report'
import type { RequestedVersion } from '@tollbook/verify/published/edition-name'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import { reportInputsShape, weekInputsShape } from '@tollbook/verify/published/inputs'
import {
  inputsUrl,
  pageUrl,
  rankingUrl,
  reportUrl,
  weekInputsUrl,
  weekUrl,
} from '@tollbook/verify/published/links'
import { sumFields } from '@tollbook/verify/published/overview'
import * as z from 'zod'
import type { StoredBasis } from '../editions/basis.ts'
import {
  loadBasis,
  loadPublications,
  loadRevisions,
  loadWeeks,
  type StoredEdition,
} from '../editions/stored-reports.ts'
import { composeReportInputs, composeWeekInputs, composeWindow } from '../served/compose-inputs.ts'
import { loadMerchantWeeks } from '../served/merchant-history.ts'
import { lineFields, toSums } from '../served/merchant-line.ts'
import { defineRead, type ReportCall, toJsonDocument } from './reads/define-read.ts'
import {
  EXAMPLE_ADDRESS,
  EXAMPLE_WEEK,
  MERCHANT_PATTERNS,
  MERCHANT_READ,
  merchant,
  revision,
  weekOfPath,
} from './reads/parameters.ts'
import type { ReportPorts } from './reads/ports.ts'
import { findReport, freshnessOf, WEEK_MAX_AGE_SECONDS } from './reads/requested-report.ts'
import { linkVersions } from './reads/version-links.ts'

/** Twenty years. */
const MAX_WEEKS = 1040

const count = z.int().min(0)
const revisionNumber = z.int().min(1)
const weeksShape = z.object({ weeks: z.array(z.object({ week: z.iso.date(), url: z.url() })) })
const weekShape = z.object({
  week: z.iso.date(),
  window: weekInputsShape.shape.window,
  newest_revision: revisionNumber,
  revisions: z.array(
    z.object({
      revision: revisionNumber,
      reason: z.string().nullable().describe('The reason for the revision; null for the first.'),
      published_at: utcTime,
      method: z.string(),
      merchants: count,
      ...sumFields,
      ranking: z.url(),
      inputs: z.url(),
    }),
  ),
})
const merchantWeeksShape = z.object({
  address: z.string(),
  page: z.url(),
  weeks: z.array(
    z.object({
      week: z.iso.date(),
      revision: revisionNumber,
      ...lineFields,
      rank_by_real_revenue: z.int().nullable(),
      report: z.url(),
      inputs: z.url(),
    }),
  ),
})

export const WEEK_ENDPOINTS: readonly Endpoint[] = [
  defineRead({
    id: 'weeks',
    path: '/weeks.json',
    summary: 'The published weeks, newest first',
    input: z.object({}),
    output: weeksShape,
    example: {},
    answer: answerWeeks,
  }),
  defineRead({
    id: 'week',
    path: '/weeks/{week}.json',
    summary: 'A published week with all its revisions',
    input: z.object({ week: weekOfPath }),
    output: weekShape,
    example: { week: EXAMPLE_WEEK },
    answer: answerWeek,
  }),
  defineRead({
    id: 'week-inputs',
    path: '/weeks/{week}/inputs.json',
    summary: 'The inputs of a week: chain, method, facilitators, listed payees',
    input: z.object({ week: weekOfPath, revision }),
    output: weekInputsShape,
    example: { week: EXAMPLE_WEEK },
    answer: answerWeekInputs,
  }),
  defineRead({
    id: 'merchant-weeks',
    path: '/merchants/base/{address}/weeks.json',
    summary: 'The published weeks of a merchant, newest first',
    input: z.object({ address: merchant }),
    output: merchantWeeksShape,
    example: { address: EXAMPLE_ADDRESS },
    pathPatterns: MERCHANT_PATTERNS,
    answer: answerHistory,
  }),
  defineRead({
    id: 'merchant-inputs',
    path: '/merchants/base/{address}/inputs.json',
    summary: 'The inputs of a report, from which anyone can recompute it',
    ...MERCHANT_READ,
    output: reportInputsShape,
    answer: answerInputs,
  }),
]

type OneWeek = { readonly week: string; readonly revision?: number | undefined }
type OneMerchant = RequestedVersion & { readonly address: string }

async function answerWeeks({ ports }: ReportCall): Promise<FreeAnswer> {
  const weeks = await loadWeeks(ports.state, MAX_WEEKS)
  const entries = weeks.map((week) => ({ week, url: weekUrl(ports.baseUrl, week) }))
  const [last] = await loadPublications(ports.state, 1)
  return toJsonDocument(
    { weeks: entries },
    {
      maxAgeSeconds: ports.maxAgeSeconds,
      lastModified: last ? new Date(last.published_at) : ports.startedAt,
    },
  )
}

async function answerWeek({ input: { week }, ports }: ReportCall<OneWeek>): Promise<FreeAnswer> {
  const revisions = await loadRevisions(ports.state, week)
  const newest = revisions.at(-1)
  if (!newest) throw notPublished(week)
  const body = {
    week,
    window: composeWindow(newest),
    newest_revision: newest.revision,
    revisions: revisions.map((edition) => describeRevision(edition, ports.baseUrl)),
  }
  return toJsonDocument(body, {
    maxAgeSeconds: ports.maxAgeSeconds,
    lastModified: new Date(newest.published_at),
  })
}

async function answerWeekInputs({ input, ports }: ReportCall<OneWeek>): Promise<FreeAnswer> {
  const { week, revision } = input
  const edition = await ports.reader.edition(week, revision)
  if (!edition) throw notPublished(week, revision)
  const stored = await findBasis(edition.basis, ports)
  return toJsonDocument(composeWeekInputs(edition, stored), {
    maxAgeSeconds: WEEK_MAX_AGE_SECONDS,
    lastModified: new Date(edition.published_at),
    headers: await linkVersions(`/weeks/${week}/inputs.json`, ports, edition),
  })
}

async function answerHistory({ input: { address }, ports }: ReportCall<OneMerchant>): Promise<FreeAnswer> {
  const { state, baseUrl, reader } = ports
  const weeks = await loadMerchantWeeks(state, address)
  if (weeks.length === 0 && !(await reader.report(ROLLING, address))) {
    const detail = `No x402 payment to ${address} was found.`
    throw new ProblemError({ code: 'not_found', detail })
  }
  const entries = weeks.map(
    ({ name: _name, name_confirmed: _isConfirmed, etag: _etag, changedAt: _at, rank, ...week }) => ({
      ...week,
      rank_by_real_revenue: rank,
      report: reportUrl(baseUrl, address, week),
      inputs: inputsUrl(baseUrl, address, week),
    }),
  )
  const history = { address, page: pageUrl(baseUrl, address), weeks: entries }
  const times = weeks.map(({ changedAt }) => changedAt.getTime())
  return toJsonDocument(history, {
    maxAgeSeconds: ports.maxAgeSeconds,
    lastModified: times.length === 0 ? ports.startedAt : new Date(Math.max(...times)),
  })
}

async function answerInputs({ input, ports }: ReportCall<OneMerchant>): Promise<FreeAnswer> {
  const report = await findReport(input, ports)
  const edition = await ports.reader.edition(report.edition, report.revision)
  if (!edition) throw notPublished(report.edition, report.revision)
  const stored = await findBasis(report.basis, ports)
  const inputs = composeReportInputs({ edition, report, stored, baseUrl: ports.baseUrl })
  return toJsonDocument(inputs, {
    ...freshnessOf(report, ports),
    headers: await linkVersions(`/merchants/base/${input.address}/inputs.json`, ports, report),
  })
}

async function findBasis(digest: string | null, { state }: ReportPorts): Promise<StoredBasis> {
  const body = await loadBasis(state, digest)
  // storeBasis writes this very type.
  if (body !== undefined) return JSON.parse(body) as StoredBasis
  const detail =
    'The inputs are not available: an older version of Tollbook, which did not store them, published this.'
  throw new ProblemError({ code: 'not_found', detail })
}

function describeRevision(edition: StoredEdition, baseUrl: string) {
  const version = { week: edition.edition, revision: edition.revision }
  return {
    revision: edition.revision,
    reason: edition.reason,
    published_at: toUtcText(edition.published_at / 1000),
    method: edition.method,
    merchants: edition.merchants,
    ...toSums(edition),
    ranking: rankingUrl(baseUrl, version),
    inputs: weekInputsUrl(baseUrl, version),
  }
}

function notPublished(week: string, revision?: number): ProblemError {
  const which = revision === undefined ? '' : `, revision ${revision},`
  return new ProblemError({
    code: 'not_found',
    detail: `The week to ${week}${which} has not been published.`,
  })
}
