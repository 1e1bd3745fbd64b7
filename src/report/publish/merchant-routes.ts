import { ProblemError } from '../../catalogue/problem.ts'
import { RetryableError } from '../../fetching/failure.ts'
import type { MerchantReport } from '../build/merchant-report.ts'
import type { Address } from '../chain/payment.ts'
import { renderBadge } from './badge.ts'
import { CSV_TYPE } from './csv.ts'
import { type EvidenceFormat, writeEvidence } from './evidence-stream.ts'
import { PAGE_HEADERS } from './layout.ts'
import { renderMerchantPage } from './merchant-page.ts'
import { describeMethod } from './method.ts'
import { ROLLING } from './publish-run.ts'
import { readQuery } from './query.ts'
import { toRenderedText } from './rendered-text.ts'
import type { ReportContext, ReportPorts, ReportRoute } from './route.ts'
import { acceptsGzip, serveDocument } from './serve-document.ts'
import type { StoredReport } from './stored-reports.ts'

const ADDRESS = '0[xX][0-9a-fA-F]{40}'
/** A published week changes only by a correction, which is rare: an hour. */
const WEEK_MAX_AGE_SECONDS = 3600
const WEEK_SECONDS = 604_800
/** The badge is drawn by whoever embeds it: it may be a few minutes old. */
const BADGE_MAX_AGE_SECONDS = 300

/** Everything under a merchant's address. */
export const MERCHANT_ROUTES: readonly ReportRoute[] = [
  { name: 'report', path: `/merchants/base/:file{${ADDRESS}\\.json}`, answer: answerReport },
  { name: 'merchant-page', path: `/merchants/base/:file{${ADDRESS}}`, answer: answerPage, isPage: true },
  { name: 'badge', path: `/merchants/base/:file{${ADDRESS}}/badge.svg`, answer: answerBadge },
  {
    name: 'evidence-csv',
    path: `/merchants/base/:file{${ADDRESS}}/payments.csv`,
    answer: (context, ports) => answerEvidence(context, ports, 'csv'),
  },
  {
    name: 'evidence-ndjson',
    path: `/merchants/base/:file{${ADDRESS}}/payments.ndjson`,
    answer: (context, ports) => answerEvidence(context, ports, 'ndjson'),
  },
]

async function answerReport(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const stored = await findReport(context, ports)
  return serveDocument(context, {
    text: await ports.cache.render(`json/${stored.etag}`, () => toRenderedText(stored.body, stored.etag)),
    contentType: 'application/json; charset=utf-8',
    lastModified: new Date(stored.changed_at),
    maxAgeSeconds: maxAgeOf(stored, ports),
  })
}

async function answerPage(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const stored = await findReport(context, ports)
  const week = stored.edition === ROLLING ? undefined : stored.edition
  const { screens } = describeMethod()
  return serveDocument(context, {
    text: await ports.cache.render(`page/${week}/${stored.etag}`, async () =>
      toRenderedText(await renderMerchantPage({ report: parseReport(stored), screens, week })),
    ),
    contentType: 'text/html; charset=utf-8',
    lastModified: new Date(stored.changed_at),
    maxAgeSeconds: maxAgeOf(stored, ports),
    headers: PAGE_HEADERS,
  })
}

async function answerBadge(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const stored = await findReport(context, ports)
  return serveDocument(context, {
    text: await ports.cache.render(`badge/${stored.etag}`, () =>
      toRenderedText(renderBadge(parseReport(stored))),
    ),
    contentType: 'image/svg+xml; charset=utf-8',
    lastModified: new Date(stored.changed_at),
    maxAgeSeconds: Math.min(maxAgeOf(stored, ports), BADGE_MAX_AGE_SECONDS),
    headers: { 'content-security-policy': "default-src 'none'; sandbox" },
  })
}

async function answerEvidence(
  context: ReportContext,
  ports: ReportPorts,
  format: EvidenceFormat,
): Promise<Response> {
  const stored = await findReport(context, ports)
  const { merchant, window } = toQuery(stored)
  const isPacked = acceptsGzip(context.req.header('accept-encoding'))
  const day = new Date(stored.window_end).toISOString().slice(0, 10)
  const headers = new Headers({
    'content-type': format === 'csv' ? CSV_TYPE : 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="${merchant}-${day}.${format}"`,
    'cache-control': `public, max-age=${maxAgeOf(stored, ports)}`,
    'last-modified': new Date(stored.changed_at).toUTCString(),
    vary: 'Accept-Encoding',
    ...(isPacked && { 'content-encoding': 'gzip' }),
  })
  if (context.req.method === 'HEAD') return new Response(null, { headers })
  const rows = ports.evidence.payments({ merchant, window }, context.req.raw.signal)
  const pieces = writeEvidence(rows, format)
  // The first piece is awaited, so that a ledger that cannot be reached is a problem and no broken file.
  const first = await pieces.next().catch((error: unknown) => refuseEvidence(error))
  const stream = ReadableStream.from(join(first, pieces))
  return new Response(isPacked ? stream.pipeThrough(new CompressionStream('gzip')) : stream, { headers })
}

async function* join(first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>) {
  if (!first.done) yield first.value
  yield* rest
}

function refuseEvidence(error: unknown): never {
  if (!(error instanceof RetryableError)) throw error
  const detail = 'The payments cannot be read right now; the report itself can.'
  throw new ProblemError({ code: 'unavailable', detail, retryAfterSeconds: 10 }, { cause: error })
}

async function findReport(context: ReportContext, { reader }: ReportPorts): Promise<StoredReport> {
  const address = (context.req.param('file') ?? '').replace(/\.json$/, '').toLowerCase()
  const week = readQuery(context, 'week')
  const stored = await reader.report(week ?? ROLLING, address)
  if (stored) return stored
  const when = week === undefined ? 'has been seen' : `of the week to ${week} has been published`
  throw new ProblemError({ code: 'not_found', detail: `No x402 payment to ${address} ${when}.` })
}

function toQuery(stored: StoredReport) {
  const end = stored.window_end / 1000
  return {
    merchant: stored.address as Address,
    window: { startBlock: stored.start_block, endBlock: stored.end_block, start: end - WEEK_SECONDS, end },
  }
}

function parseReport(stored: StoredReport): MerchantReport {
  // Written by publishRun from this very type.
  return JSON.parse(stored.body) as MerchantReport
}

function maxAgeOf(stored: StoredReport, { maxAgeSeconds }: ReportPorts): number {
  return stored.edition === ROLLING ? maxAgeSeconds : WEEK_MAX_AGE_SECONDS
}
