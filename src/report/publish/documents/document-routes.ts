import { pageDiscovery } from '../../../catalogue/documents/discovery.ts'
import { readProduct } from '../../../catalogue/documents/product-version.ts'
import { PAGE_HEADERS, renderIcon } from '../pages/layout.ts'
import { renderProblemsPage } from '../pages/problems-page.ts'
import { renderStyle } from '../pages/style.ts'
import { toRenderedText } from '../serving/rendered-text.ts'
import type { ReportPorts, ReportRoute } from '../serving/route.ts'
import { type Document, serveDocument } from '../serving/serve-document.ts'
import { renderLlmsText } from './llms-text.ts'
import { describeMethod } from './method.ts'
import { renderMethodPage } from './method-page.ts'
import { buildReportOpenApi } from './openapi.ts'
import { buildReportSchema } from './report-schema.ts'

/** These documents change only with a release. */
const MAX_AGE_SECONDS = 3600
const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'
const SCHEMA_PATH = '/schema/merchant-report-1.json'

/** The documents that describe how reports are made and read; the same for every window. */
export const DOCUMENT_ROUTES: readonly ReportRoute[] = [
  page('methodology', '/methodology', ({ baseUrl }) => renderMethodPage(describeMethod(), baseUrl)),
  page('problems', '/problems', ({ baseUrl }) => renderProblemsPage(baseUrl)),
  document('method', '/method.json', JSON_TYPE, () => toText(describeMethod())),
  document('schema', SCHEMA_PATH, 'application/schema+json; charset=utf-8', ({ baseUrl }) =>
    toText(buildReportSchema(`${baseUrl}${SCHEMA_PATH}`)),
  ),
  document('openapi', '/openapi.json', JSON_TYPE, ({ baseUrl }) =>
    toText(buildReportOpenApi(baseUrl, readProduct().version)),
  ),
  document('llms', '/llms.txt', 'text/plain; charset=utf-8', ({ baseUrl }) => renderLlmsText(baseUrl)),
  // Nothing is sold here; crawlers of x402 catalogues receive an empty list in their own format.
  document('well-known', '/.well-known/x402', JSON_TYPE, ({ baseUrl }) =>
    toText({
      version: 1,
      resources: [],
      instructions: `Everything here is free. See ${baseUrl}/llms.txt.`,
    }),
  ),
  {
    name: 'discovery',
    path: '/discovery/resources',
    answer: (context, { startedAt }) => {
      const { searchParams } = new URL(context.req.url)
      const text = toRenderedText(toText(pageDiscovery([], searchParams)))
      const form = { contentType: JSON_TYPE, maxAgeSeconds: MAX_AGE_SECONDS }
      return serveDocument(context, { ...form, text, lastModified: startedAt })
    },
  },
  document('style', '/style.css', 'text/css; charset=utf-8', renderStyle),
  document('icon', '/icon.svg', 'image/svg+xml; charset=utf-8', renderIcon),
]

type Render = (ports: ReportPorts) => string | Promise<string>

function document(name: string, path: string, contentType: string, render: Render): ReportRoute {
  return toRoute({ name, path }, render, { contentType, maxAgeSeconds: MAX_AGE_SECONDS })
}

function page(name: string, path: string, render: Render): ReportRoute {
  const form = { contentType: HTML_TYPE, maxAgeSeconds: MAX_AGE_SECONDS, headers: PAGE_HEADERS }
  return toRoute({ name, path, isPage: true }, render, form)
}

function toRoute(
  route: Omit<ReportRoute, 'answer'>,
  render: Render,
  form: Omit<Document, 'text'>,
): ReportRoute {
  return {
    ...route,
    answer: async (context, ports) => {
      const text = await ports.cache.render(`document${route.path}`, async () =>
        toRenderedText(await render(ports)),
      )
      return serveDocument(context, { ...form, text, lastModified: ports.startedAt })
    },
  }
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
