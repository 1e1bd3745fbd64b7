import { ProblemError } from '../../../http/problem.ts'
import { isBehind } from '../editions/publication-notice.ts'
import { ROLLING } from '../editions/publish-run.ts'
import { loadWeeks, type StoredEdition } from '../editions/stored-reports.ts'
import { CSV_TYPE, toCsvLine } from '../evidence/csv.ts'
import { readRevision } from '../merchant/requested-report.ts'
import { PAGE_HEADERS } from '../pages/layout.ts'
import { readOrder, readQuery } from '../serving/query.ts'
import { toRenderedText } from '../serving/rendered-text.ts'
import type { ReportContext, ReportPorts, ReportRoute } from '../serving/route.ts'
import { serveDocument } from '../serving/serve-document.ts'
import { EMPTY_PAGE, type RankedMerchant, type RankingPage, rankMerchants } from './ranking.ts'
import { renderRankingPage } from './ranking-page.ts'

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
] as const

/** The ranking of a window in its three formats, and the search over it. */
export const RANKING_ROUTES: readonly ReportRoute[] = [
  {
    name: 'ranking-page',
    path: '/',
    answer: (context, ports) => answerPage(context, ports, '/'),
    isPage: true,
  },
  { name: 'search', path: '/search', answer: answerSearch, isPage: true },
  { name: 'ranking', path: '/merchants.json', answer: (context, ports) => answerJson(context, ports, '') },
  { name: 'ranking-csv', path: '/merchants.csv', answer: answerCsv },
]

/** Browsers get the page, programs the JSON. */
function answerSearch(context: ReportContext, ports: ReportPorts): Promise<Response> {
  if (wantsPage(context)) return answerPage(context, ports, '/search')
  return answerJson(context, ports, readQuery(context, 'q'))
}

async function answerPage(
  context: ReportContext,
  ports: ReportPorts,
  path: '/' | '/search',
): Promise<Response> {
  const { state, baseUrl } = ports
  const week = readQuery(context, 'week')
  const search = path === '/search' ? readQuery(context, 'q') : ''
  const order = readOrder(context, search)
  const edition = await findEdition(context, ports)
  const isLate = edition?.edition === ROLLING && isBehind(edition, ports.now())
  const weeks = await loadWeeks(state, WEEKS_ON_A_PAGE)
  const text = await ports.cache.render(
    keyOf(context, `page${path}${isLate}${weeks[0]}`, edition),
    async () => {
      const page = await rank(context, ports, { edition, search, limit: ROWS_ON_A_PAGE })
      const view = {
        edition,
        week,
        revision: readRevision(context),
        order,
        path,
        baseUrl,
        isLate,
        isDemo: ports.isDemo,
        page,
        weeks,
      }
      return toRenderedText(await renderRankingPage(view))
    },
  )
  return serveDocument(context, {
    text,
    contentType: 'text/html; charset=utf-8',
    maxAgeSeconds: ports.maxAgeSeconds,
    // The late notice changes the page without a publication, so the page has an ETag only.
    ...(isLate ? {} : await lastModifiedOfPage(ports, edition)),
    headers: { ...PAGE_HEADERS, vary: 'Accept, Accept-Encoding' },
  })
}

async function answerJson(context: ReportContext, ports: ReportPorts, search: string): Promise<Response> {
  const edition = await findEdition(context, ports)
  const limit = readQuery(context, 'limit')
  const text = await ports.cache.render(keyOf(context, `json/${search}`, edition), async () => {
    const page = await rank(context, ports, { edition, search, limit })
    const week = edition ? dayOf(edition) : null
    const ranking = { week, merchants: page.merchants, next_cursor: page.nextCursor }
    return toRenderedText(`${JSON.stringify(ranking)}\n`)
  })
  return serveDocument(context, {
    text,
    contentType: 'application/json; charset=utf-8',
    maxAgeSeconds: ports.maxAgeSeconds,
    ...lastModifiedOf(edition),
    headers: { vary: 'Accept, Accept-Encoding' },
  })
}

async function answerCsv(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const edition = await findEdition(context, ports)
  const text = await ports.cache.render(keyOf(context, 'csv', edition), async () => {
    const lines = [toCsvLine(COLUMNS)]
    let cursor: string | undefined
    do {
      const page = await rank(context, ports, { edition, search: '', limit: CSV_ROWS_A_QUERY, cursor })
      lines.push(...page.merchants.map(toLine))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return toRenderedText(lines.join(''))
  })
  return serveDocument(context, {
    text,
    contentType: CSV_TYPE,
    maxAgeSeconds: ports.maxAgeSeconds,
    ...lastModifiedOf(edition),
    headers: {
      'content-disposition': `attachment; filename="x402-merchants-${edition ? dayOf(edition) : 'none'}.csv"`,
    },
  })
}

function toLine(merchant: RankedMerchant): string {
  return toCsvLine(
    COLUMNS.map((column) => (column === 'flags' ? Object.keys(merchant.flags).join(' ') : merchant[column])),
  )
}

/** What a format of the ranking depends on: the publication and the query. */
function keyOf(context: ReportContext, form: string, edition: StoredEdition | undefined): string {
  const published = edition ? [edition.edition, edition.revision, edition.published_at] : []
  const asked = (['week', 'revision', 'sort', 'order', 'limit', 'cursor', 'q'] as const).map((name) =>
    readQuery(context, name),
  )
  return JSON.stringify([form, published, asked])
}

type Wanted = {
  readonly edition: StoredEdition | undefined
  readonly search: string
  readonly limit: number
  readonly cursor?: string | undefined
}

async function rank(
  context: ReportContext,
  { state }: ReportPorts,
  { edition, search, limit, cursor }: Wanted,
): Promise<RankingPage> {
  if (!edition) return EMPTY_PAGE
  return rankMerchants(state, {
    ...readOrder(context, search),
    edition,
    limit,
    cursor: cursor ?? readQuery(context, 'cursor'),
  })
}

/** The edition that the query names; undefined before the first publication. */
async function findEdition(
  context: ReportContext,
  { reader }: ReportPorts,
): Promise<StoredEdition | undefined> {
  const week = readQuery(context, 'week')
  const edition = await reader.edition(week ?? ROLLING, readRevision(context))
  if (!edition && week !== undefined) {
    throw new ProblemError({ code: 'not_found', detail: `The week to ${week} has not been published.` })
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

/** Whether the client accepts HTML explicitly, as browsers do and programs do not. */
export function wantsPage(context: ReportContext): boolean {
  return (context.req.header('accept') ?? '').includes('text/html')
}

function dayOf(edition: StoredEdition): string {
  return new Date(edition.window_end).toISOString().slice(0, 10)
}
