import type { SellerTerms } from '@tollbook/gate/contract/terms'
import type { Page } from '@tollbook/http/page'
import type { Document } from '@tollbook/http/reply/document'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import { buildBrand } from './documents/brand.ts'
import { buildDiscoveryItems, buildWellKnown, pageDiscovery } from './documents/discovery.ts'
import { renderDocsPage } from './documents/docs-page.ts'
import { buildListing } from './documents/listing.ts'
import { renderLlmsText } from './documents/llms-text.ts'
import { buildOpenApi } from './documents/openapi.ts'
import { frameOf } from './documents/page-frame.ts'
import { renderProblemsPage } from './documents/problems-page.ts'
import { STYLE_PATH } from './documents/site-page.ts'
import { renderStyle } from './documents/style.ts'
import { buildTryPages } from './paying/try-pages.ts'
import { isOffered, unavailabilityOf } from './routes/read-availability.ts'
import type { RenderedPage, Service } from './service.ts'

/** Documents change only with process, facilitator or edition; crawlers may cache them this long. */
const MAX_AGE_SECONDS = 300
/** If nothing is sold, they change only with a release. */
const FREE_MAX_AGE_SECONDS = 3600
/** Pages that also show whether each endpoint is currently available. */
const LIVE_MAX_AGE_SECONDS = 60
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }
const STYLE_HEADERS = { 'content-type': 'text/css; charset=utf-8' }
const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' }

/**
 * All documents of a service, built on request, and again for another facilitator, edition or configured
 * endpoint; HTML and llms.txt also when availability changes. A path that is an endpoint is left to it.
 * @param seller absent if all endpoints are free.
 */
export function buildPages(
  service: Service,
  seller: SellerTerms | undefined,
  now: Date,
): Readonly<Record<string, Page>> {
  const edition = () => service.edition?.() ?? ''
  const maxAgeSeconds = seller ? MAX_AGE_SECONDS : FREE_MAX_AGE_SECONDS
  const liveMaxAgeSeconds = seller ? LIVE_MAX_AGE_SECONDS : FREE_MAX_AGE_SECONDS
  const once = (version: () => string, render: Render, maxAge = maxAgeSeconds): Page => {
    const rendered = onceFor(version, async () => toDocument(await render(), maxAge, now))
    return () => rendered()
  }
  const offered = () => JSON.stringify([edition(), service.endpoints.map((each) => isOffered(service, each))])
  const ofSeller = () => `${seller?.facilitatorAddress} ${offered()}`
  const live = () =>
    JSON.stringify([edition(), service.endpoints.map((each) => unavailabilityOf(service, each))])
  const items = onceFor(ofSeller, () => buildDiscoveryItems(service, seller, now))
  const own = new Set<string>(service.endpoints.map(({ path }) => path))
  const openApi = () => toJson(buildOpenApi(service, seller))
  const securityText = buildSecurityText(service, now)
  const llmsText = () => ({ body: renderLlmsText(service), headers: TEXT_HEADERS })
  const pages: Readonly<Record<string, Page>> = {
    ...buildBrand(service, now),
    ...(service.frame ? {} : buildTryPages(service, seller, now)),
    '/': once(live, () => renderDocsPage(service), liveMaxAgeSeconds),
    [STYLE_PATH]: once(
      edition,
      () => ({ body: renderStyle(), headers: STYLE_HEADERS }),
      FREE_MAX_AGE_SECONDS,
    ),
    '/problems': once(edition, () => renderProblemsPage(frameOf(service))),
    '/openapi.json': once(ofSeller, openApi),
    '/robots.txt': once(edition, () => ({ body: ROBOTS, headers: TEXT_HEADERS }), FREE_MAX_AGE_SECONDS),
    '/llms.txt': once(live, llmsText, liveMaxAgeSeconds),
    '/listing.json': once(offered, () => toJson(buildListing(service))),
    ...(securityText !== null && {
      [SECURITY_TEXT_PATH]: once(edition, () => ({ body: securityText, headers: TEXT_HEADERS })),
    }),
    '/.well-known/x402': once(offered, () => toJson(buildWellKnown(service, seller?.signer?.address))),
    '/discovery/resources': ({ url }) =>
      toDocument(toJson(pageDiscovery(items(), url.searchParams)), maxAgeSeconds, now),
  }
  return Object.fromEntries(Object.entries(pages).filter(([path]) => !own.has(path)))
}

/** Any crawler may read everything (RFC 9309); pages that should not be listed say so themselves. */
const ROBOTS = 'User-agent: *\nDisallow:\n'

type Render = () => RenderedPage | Promise<RenderedPage>

function toDocument({ body, headers }: RenderedPage, maxAgeSeconds: number, lastModified: Date): Document {
  const { 'content-type': contentType = '', ...others } = headers
  const content = toRenderedText(body)
  return { kind: 'document', content, contentType, maxAgeSeconds, lastModified, headers: others }
}

function toJson(value: unknown): RenderedPage {
  return { body: `${JSON.stringify(value)}\n`, headers: JSON_HEADERS }
}

function onceFor<Value>(edition: () => string, make: () => Value): () => Value {
  let made: { readonly value: Value; readonly edition: string } | undefined
  return () => {
    const now = edition()
    if (made?.edition !== now) made = { value: make(), edition: now }
    return made.value
  }
}

const SECURITY_TEXT_PATH = '/.well-known/security.txt'

/** Section 2.5.5 recommends less than a year. */
const VALID_DAYS = 364

/**
 * Where to report a vulnerability (RFC 9116), for 364 days from the start.
 * @returns null without a contact that is an e-mail address or an https URL (section 2.5.3).
 */
export function buildSecurityText(
  { baseUrl, profile }: Pick<Service, 'baseUrl' | 'profile'>,
  startedAt: Date,
): string | null {
  const { contact } = profile ?? {}
  if (contact === undefined || contact.startsWith('http:')) return null
  const expires = new Date(startedAt.getTime() + VALID_DAYS * 86_400_000)
  const lines = [
    `Contact: ${contact.includes('://') ? contact : `mailto:${contact}`}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${SECURITY_TEXT_PATH}`,
  ]
  return `${lines.join('\n')}\n`
}
