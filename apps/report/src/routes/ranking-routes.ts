import type { FreeAnswer } from '@tollbook/endpoints/answer'
import { PAGE_HEADERS } from '@tollbook/endpoints/documents/site-page'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import { acceptsHtml } from '@tollbook/http/reply/document'
import { toUtcDate } from '@tollbook/verify/build/compose-report'
import { type RequestedVersion, ROLLING, toEditionName } from '@tollbook/verify/published/edition-name'
import * as z from 'zod'
import { loadWeeks, type StoredEdition } from '../editions/stored-reports.ts'
import { CSV_TYPE, toCsvLine } from '../evidence/csv.ts'
import { isBehind } from '../pages/publication-notice.ts'
import { renderRankingPage } from '../pages/ranking-page.ts'
import { loadWindows } from '../served/merchant-history.ts'
import { lineFields, nameFields } from '../served/merchant-line.ts'
import { EMPTY_PAGE, type RankedMerchant, type RankingPage, rankMerchants } from '../served/ranking.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, renderDocument, textOf } from './reads/define-read.ts'
import { by, checkVersion, cursor, limit, order, q, toOrder, version } from './reads/parameters.ts'
import type { ReportPorts } from './reads/ports.ts'

const ROWS_ON_A_PAGE = 50
/** Two years of links to published weeks. */
const WEEKS_ON_A_PAGE = 104
const CSV_ROWS_A_QUERY = 1000

const COLUMNS = [
  'rank',
  'address',
  'name',
  'tx',
  'usd',
  'real_tx',
  'real_usd',
  'buyers',
  'real_buyers',
  'flags',
  'name_confirmed',
  'effective_buyers',
  'returning_buyers',
] as const

export const rankedShape = z.object({
  rank: z.int().nullable(),
  address: z.string(),
  ...nameFields,
  ...lineFields,
})
const rankingShape = z.object({
  week: z.iso.date().nullable().describe('Last day of the window; null before the first publication.'),
  merchants: z.array(rankedShape),
  next_cursor: z.string().nullable(),
})

/** The ranking of a window in its three formats, and the search over it. */
export const RANKING_ENDPOINTS: readonly Endpoint[] = [
  defineRead({
    id: 'ranking-page',
    path: '/',
    summary: 'The ranking as an HTML page',
    input: z.object({ ...version, ...order, by, cursor }),
    output: textOf('text/html'),
    example: {},
    isPage: true,
    check: checkVersion,
    answer: ({ input, ports }) => answerPage(input, ports, '/'),
  }),
  defineRead({
    id: 'search',
    path: '/search',
    summary: 'Merchants by name, address or endpoint; HTML if the client accepts it',
    input: z.object({ q, ...version, ...order, by, limit, cursor }),
    output: rankingShape,
    example: { q: 'weather' },
    isPage: true,
    check: checkVersion,
    answer: ({ input, ports, accept }) =>
      acceptsHtml(accept) ? answerPage(input, ports, '/search') : answerJson(input, ports),
  }),
  defineRead({
    id: 'ranking',
    path: '/merchants.json',
    summary: 'The ranking: merchants by real revenue, or by another figure',
    input: z.object({ ...version, ...order, by, limit, cursor }),
    output: rankingShape,
    example: { limit: 10 },
    check: checkVersion,
    answer: ({ input, ports }) => answerJson(input, ports),
  }),
  defineRead({
    id: 'ranking-csv',
    path: '/merchants.csv',
    summary: 'The whole ranking as CSV',
    input: z.object({ ...version, ...order, by }),
    output: textOf('text/csv'),
    example: {},
    check: checkVersion,
    answer: ({ input, ports }) => answerCsv(input, ports),
  }),
]

type Requested = Parameters<typeof toOrder>[0] &
  RequestedVersion & {
    readonly q?: string
    readonly limit?: number
    readonly cursor?: string | undefined
    readonly by?: 'wallet' | 'group' | 'operator'
  }

async function answerPage(input: Requested, ports: ReportPorts, path: '/' | '/search'): Promise<FreeAnswer> {
  const { state, baseUrl } = ports
  const { week, revision, days, by, q: search = '' } = input
  const edition = await findEdition(input, ports)
  const isLate = edition?.revision === 0 && isBehind(edition, ports.now())
  const weeks = await loadWeeks(state, WEEKS_ON_A_PAGE)
  const windows = await loadWindows(state)
  const key = keyOf(input, `page${path}${isLate}${weeks[0]}/${windows}`, edition)
  return renderDocument(ports, key, {
    async render() {
      const page = await rank({ ...input, limit: ROWS_ON_A_PAGE }, ports, edition)
      const order = toOrder(input, search)
      const { isDemo } = ports
      const place = { path, week, revision, days, by, order }
      return renderRankingPage({ ...place, edition, baseUrl, isLate, isDemo, page, weeks, windows })
    },
    contentType: HTML_TYPE,
    maxAgeSeconds: ports.maxAgeSeconds,
    // The late notice changes the page without a publication, so the page has an ETag only.
    ...(isLate ? {} : await lastModifiedOfPage(ports, edition)),
    headers: { ...PAGE_HEADERS, vary: 'Accept, Accept-Encoding' },
  })
}

async function answerJson(input: Requested, ports: ReportPorts): Promise<FreeAnswer> {
  const edition = await findEdition(input, ports)
  return renderDocument(ports, keyOf(input, 'json', edition), {
    async render() {
      const { merchants, nextCursor } = await rank(input, ports, edition)
      const week = edition ? toUtcDate(edition.window_end / 1000) : null
      return `${JSON.stringify({ week, merchants, next_cursor: nextCursor })}\n`
    },
    contentType: JSON_TYPE,
    maxAgeSeconds: ports.maxAgeSeconds,
    ...lastModifiedOf(edition),
    headers: { vary: 'Accept, Accept-Encoding' },
  })
}

async function answerCsv(input: Requested, ports: ReportPorts): Promise<FreeAnswer> {
  const edition = await findEdition(input, ports)
  const filename = `x402-merchants-${edition ? toUtcDate(edition.window_end / 1000) : 'none'}.csv`
  return renderDocument(ports, keyOf(input, 'csv', edition), {
    async render() {
      const lines = [toCsvLine(COLUMNS)]
      let cursor: string | undefined
      do {
        const page = await rank({ ...input, limit: CSV_ROWS_A_QUERY, cursor }, ports, edition)
        lines.push(...page.merchants.map(toLine))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return lines.join('')
    },
    contentType: CSV_TYPE,
    maxAgeSeconds: ports.maxAgeSeconds,
    ...lastModifiedOf(edition),
    headers: { 'content-disposition': `attachment; filename="${filename}"` },
  })
}

function toLine(merchant: RankedMerchant): string {
  return toCsvLine(
    COLUMNS.map((column) => (column === 'flags' ? Object.keys(merchant.flags).join(' ') : merchant[column])),
  )
}

/** What a format of the ranking depends on: the publication and the query. */
function keyOf(input: Requested, form: string, edition: StoredEdition | undefined): string {
  const published = edition ? [edition.edition, edition.revision, edition.published_at] : []
  const { week, revision, days, sort, order, limit, cursor, q, by } = input
  return JSON.stringify([form, published, week, revision, days, sort, order, limit, cursor, q, by])
}

async function rank(
  input: Requested & { readonly limit?: number },
  { state }: ReportPorts,
  edition: StoredEdition | undefined,
): Promise<RankingPage> {
  if (!edition) return EMPTY_PAGE
  const { limit = ROWS_ON_A_PAGE, cursor, q: search = '' } = input
  const isByGroup = input.by === 'group' || input.by === 'operator'
  return rankMerchants(state, { ...toOrder(input, search), edition, limit, cursor, isByGroup })
}

/** The edition that the query names; undefined before the first publication. */
async function findEdition(
  requested: Requested,
  { reader }: ReportPorts,
): Promise<StoredEdition | undefined> {
  const { week, revision, days } = requested
  const edition = await reader.edition(toEditionName(requested), revision)
  if (!edition && (week ?? days) !== undefined) {
    const which = week === undefined ? `A window of ${days} days` : `The week to ${week}`
    throw new ProblemError({ code: 'not_found', detail: `${which} has not been published.` })
  }
  return edition
}

function lastModifiedOf(edition: StoredEdition | undefined): { readonly lastModified?: Date } {
  return edition ? { lastModified: new Date(edition.published_at) } : {}
}

/** The page of an old week links to newer ones, and those appear with each publication. */
async function lastModifiedOfPage({ reader }: ReportPorts, edition: StoredEdition | undefined) {
  const newest = await reader.edition(ROLLING)
  return lastModifiedOf(newest && edition && newest.published_at > edition.published_at ? newest : edition)
}
