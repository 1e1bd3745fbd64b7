import * as z from 'zod'
import type { Endpoint } from '../../../catalogue/endpoint.ts'
import { toRenderedText } from '../../../http/reply/rendered-text.ts'
import { defineRead, JSON_TYPE, textOf } from '../serving/define-read.ts'
import {
  checkVersion,
  EXAMPLE_ADDRESS,
  MERCHANT_PATTERNS,
  merchant,
  metric,
  style,
  version,
} from '../serving/parameters.ts'
import { describeBadge, renderBadge } from './badge.ts'
import { findReport, maxAgeOf, parseReport } from './requested-report.ts'

/** Badges are embedded on other sites, so they may be a few minutes old. */
const MAX_AGE_SECONDS = 300

const badge = defineRead({
  id: 'badge',
  path: '/merchants/base/{address}/badge.svg',
  summary: 'One figure of the report as a badge to embed',
  input: z.object({ address: merchant, ...version, metric, style }),
  output: textOf('image/svg+xml'),
  example: { address: EXAMPLE_ADDRESS },
  pathPatterns: MERCHANT_PATTERNS,
  check: checkVersion,
  async answer({ input, ports }) {
    const { metric, style } = input
    const stored = await findReport(input, ports)
    return {
      kind: 'document',
      content: await ports.cache.render(`badge/${metric}/${style}/${stored.etag}`, () =>
        toRenderedText(renderBadge(parseReport(stored), metric, style)),
      ),
      contentType: 'image/svg+xml; charset=utf-8',
      lastModified: new Date(stored.changed_at),
      maxAgeSeconds: Math.min(maxAgeOf(stored, ports), MAX_AGE_SECONDS),
      headers: { 'content-security-policy': "default-src 'none'; sandbox" },
    }
  },
})

/** In the format of shields.io: https://shields.io/badges/endpoint-badge. */
const badgeJson = defineRead({
  id: 'badge-json',
  path: '/merchants/base/{address}/badge.json',
  summary: 'The text of the badge, for shields.io',
  input: z.object({ address: merchant, ...version, metric }),
  output: z
    .object({
      schemaVersion: z.literal(1),
      label: z.string(),
      message: z.string(),
      color: z.string(),
      cacheSeconds: z.int(),
    })
    .describe('In the format of the shields.io endpoint badge.'),
  example: { address: EXAMPLE_ADDRESS },
  pathPatterns: MERCHANT_PATTERNS,
  check: checkVersion,
  async answer({ input, ports }) {
    const stored = await findReport(input, ports)
    return {
      kind: 'document',
      content: await ports.cache.render(`badge-json/${input.metric}/${stored.etag}`, () => {
        const badge = describeBadge(parseReport(stored), input.metric)
        return toRenderedText(
          `${JSON.stringify({ schemaVersion: 1, ...badge, cacheSeconds: MAX_AGE_SECONDS })}\n`,
        )
      }),
      contentType: JSON_TYPE,
      lastModified: new Date(stored.changed_at),
      maxAgeSeconds: Math.min(maxAgeOf(stored, ports), MAX_AGE_SECONDS),
    }
  },
})

export const BADGE_ENDPOINTS: readonly Endpoint[] = [badge, badgeJson]
