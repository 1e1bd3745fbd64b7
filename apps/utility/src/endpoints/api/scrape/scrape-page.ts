import type { Address, Call } from '@tollbook/endpoints/endpoint'
import type { ExtractOptions } from '@tollbook/extract/extract-page'
import { ProblemError } from '@tollbook/http/problem'
import type { BrowserOptions } from '../../../browser/browser-task.ts'
import type { SerialisedPage, SerialiseOptions } from '../../../page/content/serialise-page.ts'
import { workOnContent } from '../../../page/content/work-on-content.ts'
import { DOCUMENT_KINDS, documentKindOf } from '../../../page/document-kind.ts'
import type { Recognition } from '../../../page/documents/read-by-ocr.ts'
import type { DatedPage } from '../../../page/page-cache.ts'
import { describePage, type Page, type PageSource, readPage, toSource } from '../../../page/read-page.ts'
import { describeSent, readSent } from '../../../page/sent-document.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { extractJson } from './extract-json.ts'
import { type Input, toBrowserOptions, toRequestHeaders } from './input.ts'
import type { ScrapedPage } from './output.ts'

type ReadOptions = {
  /** `auto`: renders if the page has hardly any content as received, and scripts that could add some. */
  readonly render: 'auto' | 'always' | 'never'
  readonly options: SerialiseOptions & ExtractOptions
  /** With any, the page is always rendered. */
  readonly browserOptions: BrowserOptions
}

type CallContext = Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'payer' | 'signal'>

type Content = {
  /** The URL after the scripts ran, if they ran. */
  readonly page: Page
  readonly content: SerialisedPage & {
    readonly rawHtml?: string
    readonly recognition: Recognition | null
  }
  readonly usedBrowser: boolean
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
  const { page: fetchedPage, fetchedAt, isCached } = dated
  const browserOptions = toBrowserOptions(call.input)
  const { page, content, usedBrowser, screenshot } = await readContent(
    fetchedPage,
    { render: sent ? 'never' : render, options, browserOptions },
    call,
  )
  if (content.extractor === 'selectors' && content.content === '') throw new ProblemError(NOTHING_SELECTED)
  if (content.content === '' && content.rawHtml === undefined && screenshot === undefined)
    throw new ProblemError(EMPTY)
  const { head, text, html, rawHtml } = content
  const { schema, prompt = '' } = call.input
  const { extractionTier } = call.ports
  const order = { schema: schema ?? {}, prompt, content: `${head.title ?? ''}\n\n${content.content}` }
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
    markdown: content.content,
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    ...(rawHtml !== undefined && { raw_html: rawHtml }),
    ...(screenshot !== undefined && { screenshot }),
    ...(filled && { json: filled }),
    word_count: content.words,
    char_count: content.content.length,
    truncated: content.isTruncated,
    dropped: content.dropped ?? null,
    links: [...content.links],
    extractor: content.extractor,
    ocr: content.recognition,
    page_type: content.pageType,
    rendered: usedBrowser,
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
  const cached = input.max_age > 0 ? ports.pageCache.get(key, input.max_age, now) : null
  if (cached) return { ...cached, isCached: true }
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
async function readContent(
  page: Page,
  { render, options, browserOptions }: ReadOptions,
  context: CallContext,
): Promise<Content> {
  const needsBrowser = Object.keys(browserOptions).length > 0
  const isHtml = documentKindOf(toSource(page)) === 'html'
  if (needsBrowser && !isHtml) throw new ProblemError(NOTHING_TO_RENDER)
  if (isHtml && (render === 'always' || needsBrowser))
    return readRendered(page, { options, browserOptions }, context)
  const content = await workOnContent(toSource(page), options, context)
  const withoutBrowser = { page, content, usedBrowser: false }
  const isBare = content.words < FEW_WORDS && !content.isTruncated && content.hasScripts
  if (render === 'never' || !context.ports.browser || !isBare) return withoutBrowser
  try {
    const rendered = await readRendered(page, { options, browserOptions }, context)
    return rendered.content.words > content.words ? rendered : withoutBrowser
  } catch (error) {
    if (error instanceof ProblemError) return withoutBrowser
    throw error
  }
}

async function readRendered(
  page: Page,
  { options, browserOptions }: Omit<ReadOptions, 'render'>,
  context: CallContext,
): Promise<Content> {
  const { browser } = context.ports
  if (!browser) throw new ProblemError({ code: 'not_configured', detail: 'No browser is configured.' })
  const { url, html, screenshot } = await browser.render(page, context, browserOptions)
  const source = { url, contentType: 'text/html; charset=utf-8', body: new TextEncoder().encode(html) }
  const content = await workOnContent(source, options, context)
  return {
    page: { ...page, finalUrl: url },
    content,
    usedBrowser: true,
    ...(screenshot !== undefined && { screenshot }),
  }
}
