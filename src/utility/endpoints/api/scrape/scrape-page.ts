import type { Address, Call } from '../../../../catalogue/endpoint.ts'
import type { ExtractOptions } from '../../../../engines/extract/extract-page.ts'
import { ProblemError } from '../../../../http/problem.ts'
import type { RenderWishes } from '../../../browser/browser-task.ts'
import type { RenderedPage, RenderOptions } from '../../../page/content/render-page.ts'
import { workOnContent } from '../../../page/content/work-on-content.ts'
import { DOCUMENT_KINDS, documentKindOf } from '../../../page/document-kind.ts'
import type { DatedPage } from '../../../page/page-cache.ts'
import { describePage, type Page, type PageSource, readPage, toSource } from '../../../page/read-page.ts'
import { describeSent, readSent } from '../../../page/sent-document.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { extractJson } from './extract-json.ts'
import { type Input, toRequestHeaders, toWishes } from './input.ts'
import type { ScrapedPage } from './output.ts'

type Asked = {
  /** `auto`: renders if the page has hardly any content as received, and scripts that could add some. */
  readonly render: 'auto' | 'always' | 'never'
  readonly options: RenderOptions & ExtractOptions
  /** With any, the page is always rendered. */
  readonly wishes: RenderWishes
}

type Asking = Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'payer' | 'signal'>

type Content = {
  /** The URL after the scripts ran, if they ran. */
  readonly page: Page
  readonly found: RenderedPage & { readonly rawHtml?: string }
  readonly isRendered: boolean
  /** PNG, base64. */
  readonly screenshot?: string
}

/** Chosen: application shells say "loading" and "please enable JavaScript", which is less than two sentences. */
const FEW_WORDS = 50

const NOTHING_TO_RENDER = {
  code: 'cannot_be_served',
  detail: 'A screenshot and wait_for need HTML, which the document is not.',
} as const

const NOTHING_SELECTED = {
  code: 'cannot_be_served',
  detail: 'No element of the page with content matches include_selectors.',
} as const

const EMPTY = { code: 'cannot_be_served', detail: 'The page has no content.' } as const

type Scraping = Call<Input, UtilityPorts, Address>

/** Reads one page of a call, or the document that it sent. @param url of the page; of a sent one its base */
export async function scrapePage(url: string | undefined, call: Scraping): Promise<ScrapedPage> {
  const { main_only, include_links, include_images, format, formats, max_chars, render } = call.input
  const options = {
    isMainOnly: main_only,
    includeLinks: include_links,
    includeImages: include_images,
    selection: { include: call.input.include_selectors, exclude: call.input.exclude_selectors },
    format,
    formats,
    maxChars: max_chars,
  }
  const sent = readSent(call.input, call.files.get('file'))
  const dated = sent
    ? { page: toPage(sent), fetchedAt: null, isCached: false }
    : await fetchOrReuse(url ?? '', call)
  const { page: asCame, fetchedAt, isCached } = dated
  const wishes = toWishes(call.input)
  const { page, found, isRendered, screenshot } = await readContent(
    asCame,
    { render: sent ? 'never' : render, options, wishes },
    call,
  )
  if (found.extractor === 'selectors' && found.content === '') throw new ProblemError(NOTHING_SELECTED)
  if (found.content === '' && found.rawHtml === undefined && screenshot === undefined)
    throw new ProblemError(EMPTY)
  const { head, content, text, html, rawHtml } = found
  const { schema, prompt = '' } = call.input
  const { extractionTier } = call.ports
  const order = { schema: schema ?? {}, prompt, content: `${head.title ?? ''}\n\n${content}` }
  const filled = schema && extractionTier && (await extractJson(order, extractionTier, call.signal))
  return {
    ...(sent ? describeSent(call.input, sent.body.byteLength) : describePage(page)),
    title: head.title,
    byline: head.byline,
    site_name: head.siteName,
    lang: head.lang,
    published_at: head.publishedAt,
    modified_at: head.modifiedAt,
    canonical_url: head.canonicalUrl,
    description: head.description,
    image: head.image,
    format,
    markdown: content,
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    ...(rawHtml !== undefined && { raw_html: rawHtml }),
    ...(screenshot !== undefined && { screenshot }),
    ...(filled && { json: filled }),
    word_count: found.words,
    char_count: content.length,
    truncated: found.isTruncated,
    dropped: found.dropped ?? null,
    links: [...found.links],
    extractor: found.extractor,
    page_type: found.pageType,
    rendered: isRendered,
    cached: isCached,
    fetched_at: fetchedAt?.toISOString() ?? null,
    ts: call.now.toISOString(),
  }
}

/** A sent document in the form of a fetched one. */
function toPage({ url, contentType, body }: PageSource): Page {
  const headers = { 'content-type': contentType }
  return { url, finalUrl: url, status: 200, redirects: [], headers, body, fetchMs: 0 }
}

/** Fetches a page, or takes one from the cache that is recent enough for the call. */
async function fetchOrReuse(
  url: string,
  call: Scraping,
): Promise<DatedPage & { readonly isCached: boolean }> {
  const { input, ports, now } = call
  const headers = toRequestHeaders(input)
  const key = JSON.stringify([url, Object.entries(headers).sort()])
  const known = input.max_age > 0 ? ports.pageCache.get(key, input.max_age, now) : null
  if (known) return { ...known, isCached: true }
  const page = await readPage(url, call, headers, DOCUMENT_KINDS)
  if (input.max_age > 0) ports.pageCache.offer(key, { page, fetchedAt: now })
  // A page in a variant that one caller requested is not for everyone's search.
  if (Object.keys(headers).length === 0) ports.scrapedPages?.offer(page)
  return { page, fetchedAt: now, isCached: false }
}

/**
 * Reads the content of a page, after running its scripts if requested.
 * @throws ProblemError for a page that is too complex; with `always` also if it cannot be rendered.
 */
async function readContent(page: Page, { render, options, wishes }: Asked, asking: Asking): Promise<Content> {
  const hasWishes = Object.keys(wishes).length > 0
  const isHtml = documentKindOf(toSource(page)) === 'html'
  if (hasWishes && !isHtml) throw new ProblemError(NOTHING_TO_RENDER)
  if (isHtml && (render === 'always' || hasWishes)) return readRendered(page, { options, wishes }, asking)
  const found = await workOnContent(toSource(page), options, asking)
  const asItCame = { page, found, isRendered: false }
  const isBare = found.words < FEW_WORDS && !found.isTruncated && found.hasScripts
  if (render === 'never' || !asking.ports.browser || !isBare) return asItCame
  try {
    const rendered = await readRendered(page, { options, wishes }, asking)
    return rendered.found.words > found.words ? rendered : asItCame
  } catch (error) {
    if (error instanceof ProblemError) return asItCame
    throw error
  }
}

async function readRendered(
  page: Page,
  { options, wishes }: Omit<Asked, 'render'>,
  asking: Asking,
): Promise<Content> {
  const { browser } = asking.ports
  if (!browser) throw new ProblemError({ code: 'not_configured', detail: 'No browser is configured.' })
  const { url, html, screenshot } = await browser.render(page, asking, wishes)
  const source = { url, contentType: 'text/html; charset=utf-8', body: new TextEncoder().encode(html) }
  const found = await workOnContent(source, options, asking)
  return {
    page: { ...page, finalUrl: url },
    found,
    isRendered: true,
    ...(screenshot !== undefined && { screenshot }),
  }
}
