import {
  type Markup,
  PAGE_HEADERS,
  renderSitePage,
  type SitePage,
} from '@tollbook/endpoints/documents/site-page'
import type { PageFrame } from '@tollbook/endpoints/service'
import { html } from 'hono/html'

/** The content of `<main>` and the metadata of the head. */
export type PageContent = Pick<SitePage, 'title' | 'description' | 'canonical' | 'image'> & {
  readonly main: Markup
  /** The content of the search box. */
  readonly search?: string
  /** The published week that a search covers; absent for the newest window. */
  readonly week?: string | undefined
  /** Whether the figures are of a local chain, whose tokens have no value. */
  readonly isDemo?: boolean
  /** Feed of the page's content; by default the feed of all weeks. */
  readonly feed?: { readonly title: string; readonly path: string }
}

const FEED = { title: 'Published weeks', path: '/feed.atom' }

/** Prevents a reader from taking the demo week for payments on Base. */
const DEMO = html`<p class="note mark"><strong>Demonstration.</strong> This instance runs on a local test chain instead of Base: its merchants are fictitious, and all its dollars are play money.</p>
`

/** A page in the frame of all services, with the navigation of the reports. */
export function renderPage({
  search = '',
  feed = FEED,
  week,
  isDemo,
  main,
  ...page
}: PageContent): Promise<string> {
  return renderSitePage({
    ...page,
    head: html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}">`,
    header: html`<nav aria-label="Site"><a href="/">Ranking</a><a href="/overview">Overview</a><a href="/methodology">Methodology</a></nav>
<form class="search" action="/search" role="search"><input type="search" name="q" value="${search}" aria-label="Host, wallet or endpoint" placeholder="Host, wallet or endpoint" maxlength="200" required>${week === undefined ? '' : html`<input type="hidden" name="week" value="${week}">`}<button>Search</button></form>`,
    main: html`${isDemo ? DEMO : ''}${main}`,
    footer: FOOTER,
  })
}

const FOOTER = html`<p>Figures come from public on-chain data and may be used under <a href="https://creativecommons.org/licenses/by/4.0/" rel="license">CC BY 4.0</a>. A flag is a pattern, not a finding of wrongdoing.</p>
<ul class="links"><li><a href="/methodology">How payments are counted</a></li><li><a href="/claims">Claim or dispute a report</a></li><li><a href="/merchants.json">Ranking as JSON</a></li><li><a href="/merchants.csv">as CSV</a></li><li><a href="/feed.atom">Feed</a></li><li><a href="/openapi.json">OpenAPI</a></li><li><a href="/llms.txt">llms.txt</a></li></ul>`

/** The pages that every service has, in the design of this one. */
export function createPageFrame(baseUrl: string): PageFrame {
  return async ({ title, lead, content, path }) => {
    const body = await renderPage({
      title,
      description: title,
      ...(path !== undefined && { canonical: `${baseUrl}${path}` }),
      main: html`<h1>${title}</h1>
<p class="lead">${lead}</p>
${content}`,
    })
    return { body, headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS } }
  }
}
