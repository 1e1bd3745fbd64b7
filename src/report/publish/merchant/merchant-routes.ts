import type { Address } from '../../../chain/hex.ts'
import { readClaimRecord } from '../../claims/stored-claims.ts'
import { describeMethod } from '../documents/method.ts'
import { ROLLING } from '../editions/publish-run.ts'
import { EVIDENCE_ROUTES } from '../evidence/evidence-routes.ts'
import { PAGE_HEADERS } from '../pages/layout.ts'
import { toRenderedText } from '../serving/rendered-text.ts'
import type { ReportContext, ReportPorts, ReportRoute } from '../serving/route.ts'
import { serveDocument } from '../serving/serve-document.ts'
import { BADGE_ROUTES } from './badge-routes.ts'
import { loadMerchantWeeks } from './merchant-history.ts'
import { renderMerchantPage } from './merchant-page.ts'
import { hashText } from './report-json.ts'
import { ADDRESS_PATTERN, findReport, maxAgeOf, parseReport } from './requested-report.ts'
import { linkVersions } from './version-links.ts'

/** All routes under a merchant's address. */
export const MERCHANT_ROUTES: readonly ReportRoute[] = [
  { name: 'report', path: `/merchants/base/:file{${ADDRESS_PATTERN}\\.json}`, answer: answerReport },
  {
    name: 'merchant-page',
    path: `/merchants/base/:file{${ADDRESS_PATTERN}}`,
    answer: answerPage,
    isPage: true,
  },
  ...BADGE_ROUTES,
  ...EVIDENCE_ROUTES,
]

async function answerReport(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const stored = await findReport(context, ports)
  return serveDocument(context, {
    text: await ports.cache.render(`json/${stored.etag}`, () => toRenderedText(stored.body, stored.etag)),
    contentType: 'application/json; charset=utf-8',
    lastModified: new Date(stored.changed_at),
    maxAgeSeconds: maxAgeOf(stored, ports),
    headers: await linkVersions(context, ports, stored),
  })
}

async function answerPage(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const stored = await findReport(context, ports)
  const week = stored.edition === ROLLING ? undefined : stored.edition
  const weeks = await loadMerchantWeeks(ports.state, stored.address)
  const record = await readClaimRecord(ports.state, stored.address as Address)
  const claim = record?.action === 'claim' ? record : null
  const edition = await ports.reader.edition(stored.edition, stored.revision)
  const newest = await ports.reader.edition(stored.edition)
  const { screens, version } = describeMethod()
  const shown = { week, revision: stored.revision, newestRevision: newest?.revision ?? stored.revision }
  const view = {
    ...shown,
    reason: edition?.reason ?? null,
    screens,
    claim,
    weeks,
    method: edition?.method ?? version,
    rpcUrl: ports.publicRpcUrl,
    isDemo: ports.isDemo,
    isNameConfirmed: stored.is_name_confirmed === 1,
  }
  // The page shows more than the report, so its cache key includes everything it is made of.
  const parts = hashText(JSON.stringify([weeks, view.method, shown, claim?.version, view.isNameConfirmed]))
  const changes = [
    stored.changed_at,
    record?.madeAt.getTime() ?? 0,
    ...weeks.map((each) => each.changedAt.getTime()),
  ]
  return serveDocument(context, {
    text: await ports.cache.render(`page/${week}/${stored.etag}/${parts}`, async () =>
      toRenderedText(await renderMerchantPage({ ...view, report: parseReport(stored) })),
    ),
    contentType: 'text/html; charset=utf-8',
    lastModified: new Date(Math.max(...changes)),
    maxAgeSeconds: maxAgeOf(stored, ports),
    headers: { ...PAGE_HEADERS, ...(await linkVersions(context, ports, stored)) },
  })
}
