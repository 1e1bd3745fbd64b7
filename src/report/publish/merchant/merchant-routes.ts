import * as z from 'zod'
import { PAGE_HEADERS } from '../../../catalogue/documents/site-page.ts'
import type { Endpoint } from '../../../catalogue/endpoint.ts'
import { hashText, toRenderedText } from '../../../http/reply/rendered-text.ts'
import { operatorReportShape, reportShape } from '../../build/merchant-report.ts'
import { readClaimRecord } from '../../claims/stored-claims.ts'
import { describeMethod } from '../documents/method.ts'
import { daysOfEdition } from '../editions/publish-run.ts'
import { EVIDENCE_ENDPOINTS } from '../evidence/evidence-routes.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, textOf } from '../serving/define-read.ts'
import { checkVersion, EXAMPLE_ADDRESS, MERCHANT_PATTERNS, merchant, version } from '../serving/parameters.ts'
import { BADGE_ENDPOINTS } from './badge-routes.ts'
import { loadMerchantWeeks, loadWindows } from './merchant-history.ts'
import { renderMerchantPage } from './merchant-page.ts'
import { findReport, maxAgeOf, parseReport } from './requested-report.ts'
import { socialImage } from './social-image-route.ts'
import { linkVersions } from './version-links.ts'

const input = z.object({ address: merchant, ...version })

const report = defineRead({
  id: 'report',
  path: '/merchants/base/{address}.json',
  summary: 'The report of a merchant',
  input,
  output: z.union([reportShape, operatorReportShape]),
  example: { address: EXAMPLE_ADDRESS },
  pathPatterns: MERCHANT_PATTERNS,
  check: checkVersion,
  async answer({ input, ports }) {
    const stored = await findReport(input, ports)
    return {
      kind: 'document',
      content: await ports.cache.render(`json/${stored.etag}`, () =>
        toRenderedText(stored.body, stored.etag),
      ),
      contentType: JSON_TYPE,
      lastModified: new Date(stored.changed_at),
      maxAgeSeconds: maxAgeOf(stored, ports),
      headers: await linkVersions(`/merchants/base/${input.address}.json`, ports, stored),
    }
  },
})

const merchantPage = defineRead({
  id: 'merchant-page',
  path: '/merchants/base/{address}',
  summary: 'The report of a merchant as an HTML page',
  input,
  output: textOf('text/html'),
  example: { address: EXAMPLE_ADDRESS },
  pathPatterns: MERCHANT_PATTERNS,
  isPage: true,
  check: checkVersion,
  async answer({ input, ports }) {
    const stored = await findReport(input, ports)
    const week = stored.revision === 0 ? undefined : stored.edition
    const weeks = await loadMerchantWeeks(ports.state, stored.address)
    const record = await readClaimRecord(ports.state, input.address)
    const claim = record?.action === 'claim' ? record : null
    const windows = await loadWindows(ports.state, stored.address)
    const edition = await ports.reader.edition(stored.edition, stored.revision)
    const newest = await ports.reader.edition(stored.edition)
    const { screens, version } = describeMethod()
    const days = daysOfEdition(stored.edition)
    const shown = {
      week,
      days,
      revision: stored.revision,
      newestRevision: newest?.revision ?? stored.revision,
    }
    const view = {
      ...shown,
      reason: edition?.reason ?? null,
      screens,
      claim,
      weeks,
      windows,
      method: edition?.method ?? version,
      rpcUrl: ports.publicRpcUrl,
      isDemo: ports.isDemo,
      isNameConfirmed: stored.is_name_confirmed === 1,
      operator: stored.operator,
    }
    // The page shows more than the report, so its cache key includes everything it is made of.
    const parts = hashText(
      JSON.stringify([
        weeks,
        windows,
        view.method,
        shown,
        claim?.version,
        view.isNameConfirmed,
        view.operator,
      ]),
    )
    const changes = [
      stored.changed_at,
      record?.madeAt.getTime() ?? 0,
      ...weeks.map((each) => each.changedAt.getTime()),
    ]
    const links = await linkVersions(`/merchants/base/${input.address}`, ports, stored)
    return {
      kind: 'document',
      content: await ports.cache.render(`page/${week ?? days}/${stored.etag}/${parts}`, async () =>
        toRenderedText(await renderMerchantPage({ ...view, report: parseReport(stored) })),
      ),
      contentType: HTML_TYPE,
      lastModified: new Date(Math.max(...changes)),
      maxAgeSeconds: maxAgeOf(stored, ports),
      headers: { ...PAGE_HEADERS, ...links },
    }
  },
})

/** The endpoints under a merchant's address, except those of weeks, feeds and claims. */
export const MERCHANT_ENDPOINTS: readonly Endpoint[] = [
  report,
  merchantPage,
  ...BADGE_ENDPOINTS,
  socialImage,
  ...EVIDENCE_ENDPOINTS,
]
