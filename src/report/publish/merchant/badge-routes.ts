import { readQuery } from '../serving/query.ts'
import { toRenderedText } from '../serving/rendered-text.ts'
import type { ReportContext, ReportPorts, ReportRoute } from '../serving/route.ts'
import { serveDocument } from '../serving/serve-document.ts'
import { describeBadge, renderBadge } from './badge.ts'
import { ADDRESS_PATTERN, findReport, maxAgeOf, parseReport } from './requested-report.ts'

/** Badges are embedded on other sites, so they may be a few minutes old. */
const MAX_AGE_SECONDS = 300

/** The badge of a merchant, as an SVG or as data for shields.io. */
export const BADGE_ROUTES: readonly ReportRoute[] = [
  { name: 'badge', path: `/merchants/base/:file{${ADDRESS_PATTERN}}/badge.svg`, answer: answerSvg },
  { name: 'badge-json', path: `/merchants/base/:file{${ADDRESS_PATTERN}}/badge.json`, answer: answerJson },
]

async function answerSvg(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const stored = await findReport(context, ports)
  const metric = readQuery(context, 'metric')
  const style = readQuery(context, 'style')
  return serveDocument(context, {
    text: await ports.cache.render(`badge/${metric}/${style}/${stored.etag}`, () =>
      toRenderedText(renderBadge(parseReport(stored), metric, style)),
    ),
    contentType: 'image/svg+xml; charset=utf-8',
    lastModified: new Date(stored.changed_at),
    maxAgeSeconds: Math.min(maxAgeOf(stored, ports), MAX_AGE_SECONDS),
    headers: { 'content-security-policy': "default-src 'none'; sandbox" },
  })
}

/** In the format of shields.io: https://shields.io/badges/endpoint-badge. */
async function answerJson(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const stored = await findReport(context, ports)
  const metric = readQuery(context, 'metric')
  return serveDocument(context, {
    text: await ports.cache.render(`badge-json/${metric}/${stored.etag}`, () => {
      const badge = describeBadge(parseReport(stored), metric)
      return toRenderedText(
        `${JSON.stringify({ schemaVersion: 1, ...badge, cacheSeconds: MAX_AGE_SECONDS })}\n`,
      )
    }),
    contentType: 'application/json; charset=utf-8',
    lastModified: new Date(stored.changed_at),
    maxAgeSeconds: Math.min(maxAgeOf(stored, ports), MAX_AGE_SECONDS),
  })
}
