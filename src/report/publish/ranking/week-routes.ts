import { ProblemError } from '../../../http/problem.ts'
import { toUsdNumber } from '../../../money/usdc.ts'
import { toUtcText } from '../../build/compose-report.ts'
import type { StoredBasis } from '../editions/basis.ts'
import { composeReportInputs, composeWeekInputs } from '../editions/compose-inputs.ts'
import { loadPublications } from '../editions/publications.ts'
import { ROLLING } from '../editions/publish-run.ts'
import { loadBasis, loadRevisions, loadWeeks, type StoredEdition } from '../editions/stored-reports.ts'
import { loadMerchantWeeks } from '../merchant/merchant-history.ts'
import {
  ADDRESS_PATTERN,
  findReport,
  maxAgeOf,
  readAddress,
  WEEK_MAX_AGE_SECONDS,
} from '../merchant/requested-report.ts'
import { linkVersions } from '../merchant/version-links.ts'
import { inputsUrl, pageUrl, rankingUrl, reportUrl, weekInputsUrl, weekUrl } from '../pages/links.ts'
import { readQuery } from '../serving/query.ts'
import { toRenderedText } from '../serving/rendered-text.ts'
import type { ReportContext, ReportPorts, ReportRoute } from '../serving/route.ts'
import { type Document, serveDocument } from '../serving/serve-document.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const WEEK = '\\d{4}-\\d{2}-\\d{2}'
/** Twenty years. */
const MAX_WEEKS = 1040

/** Published weeks, their revisions, and the inputs of reports. */
export const WEEK_ROUTES: readonly ReportRoute[] = [
  { name: 'weeks', path: '/weeks.json', answer: answerWeeks },
  { name: 'week', path: `/weeks/:file{${WEEK}\\.json}`, answer: answerWeek },
  { name: 'week-inputs', path: `/weeks/:file{${WEEK}}/inputs.json`, answer: answerWeekInputs },
  {
    name: 'merchant-weeks',
    path: `/merchants/base/:file{${ADDRESS_PATTERN}}/weeks.json`,
    answer: answerHistory,
  },
  {
    name: 'merchant-inputs',
    path: `/merchants/base/:file{${ADDRESS_PATTERN}}/inputs.json`,
    answer: answerInputs,
  },
]

async function answerWeeks(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const weeks = await loadWeeks(ports.state, MAX_WEEKS)
  const entries = weeks.map((week) => ({ week, url: weekUrl(ports.baseUrl, week) }))
  const [last] = await loadPublications(ports.state, 1)
  return serveJson(
    context,
    { weeks: entries },
    {
      maxAgeSeconds: ports.maxAgeSeconds,
      lastModified: last ? new Date(last.published_at) : ports.startedAt,
    },
  )
}

async function answerWeek(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const week = readWeek(context)
  const revisions = await loadRevisions(ports.state, week)
  const newest = revisions.at(-1)
  if (!newest) throw notPublished(week)
  const body = {
    week,
    window: composeWindow(newest),
    newest_revision: newest.revision,
    revisions: revisions.map((edition) => describeRevision(edition, ports.baseUrl)),
  }
  return serveJson(context, body, {
    maxAgeSeconds: ports.maxAgeSeconds,
    lastModified: new Date(newest.published_at),
  })
}

async function answerWeekInputs(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const week = readWeek(context)
  const revision = readQuery(context, 'revision')
  const edition = await ports.reader.edition(week, revision)
  if (!edition) throw notPublished(week, revision)
  const stored = await findBasis(edition.basis, ports)
  return serveJson(context, composeWeekInputs(edition, stored), {
    maxAgeSeconds: WEEK_MAX_AGE_SECONDS,
    lastModified: new Date(edition.published_at),
    headers: await linkVersions(context, ports, edition),
  })
}

async function answerHistory(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const { state, baseUrl, reader } = ports
  const address = readAddress(context)
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
  return serveJson(context, history, {
    maxAgeSeconds: ports.maxAgeSeconds,
    lastModified: times.length === 0 ? ports.startedAt : new Date(Math.max(...times)),
  })
}

async function answerInputs(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const report = await findReport(context, ports)
  const edition = await ports.reader.edition(report.edition, report.revision)
  if (!edition) throw notPublished(report.edition, report.revision)
  const stored = await findBasis(report.basis, ports)
  const inputs = composeReportInputs({ edition, report, stored, baseUrl: ports.baseUrl })
  return serveJson(context, inputs, {
    maxAgeSeconds: maxAgeOf(report, ports),
    lastModified: new Date(report.changed_at),
    headers: await linkVersions(context, ports, report),
  })
}

function serveJson(
  context: ReportContext,
  body: unknown,
  form: Omit<Document, 'text' | 'contentType'>,
): Promise<Response> {
  const text = toRenderedText(`${JSON.stringify(body, null, 2)}\n`)
  return serveDocument(context, { ...form, text, contentType: JSON_TYPE })
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
    tx: edition.tx,
    usd: toUsdNumber(BigInt(edition.amount)),
    real_tx: edition.real_tx,
    real_usd: toUsdNumber(BigInt(edition.real_amount)),
    ranking: rankingUrl(baseUrl, version),
    inputs: weekInputsUrl(baseUrl, version),
  }
}

function composeWindow(edition: StoredEdition) {
  return {
    start_block: edition.start_block,
    end_block: edition.end_block,
    complete: edition.is_complete === 1,
    start: toUtcText(edition.window_start / 1000),
    end: toUtcText(edition.window_end / 1000),
  }
}

function readWeek(context: ReportContext): string {
  return (context.req.param('file') ?? '').replace(/\.json$/, '')
}

function notPublished(week: string, revision?: number): ProblemError {
  const which = revision === undefined ? '' : `, revision ${revision},`
  return new ProblemError({
    code: 'not_found',
    detail: `The week to ${week}${which} has not been published.`,
  })
}
