import { PAGE_HEADERS } from '@tollbook/endpoints/documents/site-page'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { hashText, toRenderedText } from '@tollbook/http/reply/rendered-text'
import { groupReportShape, reportShape } from '@tollbook/verify/build/merchant-report'
import { daysOfEdition } from '@tollbook/verify/published/edition-name'
import * as z from 'zod'
import { readClaimRecord } from '../claims/stored-claims.ts'
import { renderMerchantPage } from '../pages/merchant/merchant-page.ts'
import { loadMerchantWeeks, loadWindows } from '../served/merchant-history.ts'
import { describeMethod } from '../served/method.ts'
import { BADGE_ENDPOINTS } from './badge-routes.ts'
import { EVIDENCE_ENDPOINTS } from './evidence-routes.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, renderDocument, textOf } from './reads/define-read.ts'
import { MERCHANT_READ } from './reads/parameters.ts'
import { findReport, freshnessOf, parseReport } from './reads/requested-report.ts'
import { linkVersions } from './reads/version-links.ts'
import { socialImage } from './social-image-route.ts'

const report = defineRead({
  id: 'report',
  path: '/merchants/base/{address}.json',
  summary: 'The report of a merchant',
  ...MERCHANT_READ,
  output: z.union([reportShape, groupReportShape]),
  async answer({ input, ports }) {
    const stored = await findReport(input, ports)
    return {
      kind: 'document',
      content: await ports.cache.render(`json/${stored.etag}`, () =>
        toRenderedText(stored.body, stored.etag),
      ),
      contentType: JSON_TYPE,
      ...freshnessOf(stored, ports),
      headers: await linkVersions(`/merchants/base/${input.address}.json`, ports, stored),
    }
  },
})

const merchantPage = defineRead({
  id: 'merchant-page',
  path: '/merchants/base/{address}',
  summary: 'The report of a merchant as an HTML page',
  ...MERCHANT_READ,
  output: textOf('text/html'),
  isPage: true,
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
      group: stored.operator,
    }
    // The page shows more than the report, so its cache key includes everything it is made of.
    const parts = hashText(
      JSON.stringify([weeks, windows, view.method, shown, claim?.version, view.isNameConfirmed, view.group]),
    )
    const changes = [
      stored.changed_at,
      record?.madeAt.getTime() ?? 0,
      ...weeks.map((each) => each.changedAt.getTime()),
    ]
    const links = await linkVersions(`/merchants/base/${input.address}`, ports, stored)
    return renderDocument(ports, `page/${week ?? days}/${stored.etag}/${parts}`, {
      render: () => renderMerchantPage({ ...view, report: parseReport(stored) }),
      contentType: HTML_TYPE,
      ...freshnessOf(stored, ports),
      lastModified: new Date(Math.max(...changes)),
      headers: { ...PAGE_HEADERS, ...links },
    })
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
