import type { Page } from '../../http/page.ts'
import { unavailabilityOf } from '../routes/read-availability.ts'
import type { Service } from '../service.ts'
import type { SellerTerms } from '../terms.ts'
import { buildDiscoveryItems, buildWellKnown, pageDiscovery } from './discovery.ts'
import { renderDocsPage } from './docs-page.ts'
import { buildListing } from './listing.ts'
import { renderLlmsText } from './llms-text.ts'
import { buildOpenApi } from './openapi.ts'
import type { RenderedPage } from './page-frame.ts'
import { renderProblemsPage } from './problems-page.ts'

/**
 * Documents change only with the process, its facilitator or the service's edition; a crawler may cache one
 * for this long.
 */
const CACHE = { 'cache-control': 'public, max-age=300' }
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', ...CACHE }
/** The page that also shows whether each endpoint is currently available. */
const LIVE_CACHE = { 'cache-control': 'public, max-age=60' }
const TEXT_HEADERS = { 'content-type': 'text/markdown; charset=utf-8', ...LIVE_CACHE }

/**
 * All documents of a service. They are built on first request, and again for another facilitator or edition
 * of the service; the HTML page also when the availability of an endpoint changes.
 */
export function buildPages(service: Service, seller: SellerTerms, now: Date): Readonly<Record<string, Page>> {
  const edition = () => service.edition?.() ?? ''
  const fixed = (render: () => RenderedPage | Promise<RenderedPage>) => once(edition, render)
  const ofSeller = () => `${seller.facilitatorAddress} ${edition()}`
  const live = () =>
    JSON.stringify([edition(), service.endpoints.map((each) => unavailabilityOf(service, each))])
  const items = onceFor(ofSeller, () => buildDiscoveryItems(service, seller, now))
  const openApi = onceFor(ofSeller, () => buildOpenApi(service, seller))
  return {
    '/': once(live, async () => withCache(await renderDocsPage(service), LIVE_CACHE)),
    '/problems': fixed(async () => withCache(await renderProblemsPage())),
    '/openapi.json': async () => toResponse(toJson(openApi())),
    '/llms.txt': once(live, () => ({ body: renderLlmsText(service), headers: TEXT_HEADERS })),
    '/listing.json': fixed(() => toJson(buildListing(service))),
    '/.well-known/x402': fixed(() => toJson(buildWellKnown(service))),
    '/discovery/resources': ({ url }) =>
      new Response(JSON.stringify(pageDiscovery(items(), url.searchParams)), { headers: JSON_HEADERS }),
  }
}

function once(edition: () => string, render: () => RenderedPage | Promise<RenderedPage>): Page {
  const rendered = onceFor(edition, () => Promise.resolve(render()))
  return async () => toResponse(await rendered())
}

function toResponse({ body, headers }: RenderedPage): Response {
  return new Response(body, { headers })
}

function toJson(value: unknown): RenderedPage {
  return { body: JSON.stringify(value), headers: JSON_HEADERS }
}

function withCache({ body, headers }: RenderedPage, cache = CACHE): RenderedPage {
  return { body, headers: { ...headers, ...cache } }
}

function onceFor<Value>(edition: () => string, make: () => Value): () => Value {
  let made: { readonly value: Value; readonly edition: string } | undefined
  return () => {
    const now = edition()
    if (made?.edition !== now) made = { value: make(), edition: now }
    return made.value
  }
}
