import type { Endpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import type { StoredReport } from '../editions/stored-reports.ts'
import { describeBadge, renderBadge } from '../pages/merchant/badge.ts'
import { defineRead, JSON_TYPE, renderDocument, textOf } from './reads/define-read.ts'
import { MERCHANT_READ, metric, style } from './reads/parameters.ts'
import type { ReportPorts } from './reads/ports.ts'
import { findReport, freshnessOf, parseReport } from './reads/requested-report.ts'

/** Badges are embedded on other sites, so they may be a few minutes old. */
const MAX_AGE_SECONDS = 300

const badge = defineRead({
  id: 'badge',
  path: '/merchants/base/{address}/badge.svg',
  summary: 'One figure of the report as a badge to embed',
  ...MERCHANT_READ,
  input: MERCHANT_READ.input.extend({ metric, style }),
  output: textOf('image/svg+xml'),
  async answer({ input, ports }) {
    const { metric, style } = input
    const stored = await findReport(input, ports)
    return renderDocument(ports, `badge/${metric}/${style}/${stored.etag}`, {
      render: () => renderBadge(parseReport(stored), metric, style),
      contentType: 'image/svg+xml; charset=utf-8',
      ...freshnessOfBadge(stored, ports),
      headers: { 'content-security-policy': "default-src 'none'; sandbox" },
    })
  },
})

/** In the format of shields.io: https://shields.io/badges/endpoint-badge. */
const badgeJson = defineRead({
  id: 'badge-json',
  path: '/merchants/base/{address}/badge.json',
  summary: 'The text of the badge, for shields.io',
  ...MERCHANT_READ,
  input: MERCHANT_READ.input.extend({ metric }),
  output: z
    .object({
      schemaVersion: z.literal(1),
      label: z.string(),
      message: z.string(),
      color: z.string(),
      cacheSeconds: z.int(),
    })
    .describe('In the format of the shields.io endpoint badge.'),
  async answer({ input, ports }) {
    const stored = await findReport(input, ports)
    return renderDocument(ports, `badge-json/${input.metric}/${stored.etag}`, {
      render: () => {
        const badge = describeBadge(parseReport(stored), input.metric)
        return `${JSON.stringify({ schemaVersion: 1, ...badge, cacheSeconds: MAX_AGE_SECONDS })}\n`
      },
      contentType: JSON_TYPE,
      ...freshnessOfBadge(stored, ports),
    })
  },
})

function freshnessOfBadge(stored: StoredReport, ports: ReportPorts) {
  const { lastModified, maxAgeSeconds } = freshnessOf(stored, ports)
  return { lastModified, maxAgeSeconds: Math.min(maxAgeSeconds, MAX_AGE_SECONDS) }
}

export const BADGE_ENDPOINTS: readonly Endpoint[] = [badge, badgeJson]
