import { buildDiscoveryItems, buildWellKnown, pageDiscovery } from './discovery.ts'
import { renderDocsPage } from './docs-page.ts'
import { buildListing } from './listing.ts'
import { renderLlmsText } from './llms-text.ts'
import { buildOpenApi } from './openapi.ts'
import type { RenderedPage } from './page-frame.ts'
import { renderProblemsPage } from './problems-page.ts'
import type { Service } from './service.ts'
import type { SellerTerms } from './terms.ts'

type PageRequest = {
  readonly url: URL
  readonly parameters: Readonly<Record<string, string>>
  readonly requestId: string
}

/** What GET is answered under a path that is no endpoint's; a thrown ProblemError is its refusal. */
export type Page = (request: PageRequest) => Response | Promise<Response>

/** Documents change only with the process, and a crawler may keep one for this long. */
const CACHE = { 'cache-control': 'public, max-age=300' }
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', ...CACHE }
const TEXT_HEADERS = { 'content-type': 'text/markdown; charset=utf-8', ...CACHE }

/** Everything that a service tells of itself, made once when it is first asked for. */
export function buildPages(service: Service, seller: SellerTerms, now: Date): Readonly<Record<string, Page>> {
  const items = once(() => buildDiscoveryItems(service, seller, now))
  return {
    '/': fixed(async () => withCache(await renderDocsPage(service))),
    '/problems': fixed(async () => withCache(await renderProblemsPage())),
    '/openapi.json': fixed(() => toJson(buildOpenApi(service, seller))),
    '/llms.txt': fixed(() => ({ body: renderLlmsText(service), headers: TEXT_HEADERS })),
    '/listing.json': fixed(() => toJson(buildListing(service))),
    '/.well-known/x402': fixed(() => toJson(buildWellKnown(service))),
    '/discovery/resources': ({ url }) =>
      new Response(JSON.stringify(pageDiscovery(items(), url.searchParams)), { headers: JSON_HEADERS }),
  }
}

function fixed(render: () => RenderedPage | Promise<RenderedPage>): Page {
  const rendered = once(async () => render())
  return async () => {
    const { body, headers } = await rendered()
    return new Response(body, { headers })
  }
}

function toJson(value: unknown): RenderedPage {
  return { body: JSON.stringify(value), headers: JSON_HEADERS }
}

function withCache({ body, headers }: RenderedPage): RenderedPage {
  return { body, headers: { ...headers, ...CACHE } }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
