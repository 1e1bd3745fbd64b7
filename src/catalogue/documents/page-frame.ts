import { html } from 'hono/html'
import { PROBLEMS, type Problem } from '../../http/problem.ts'
import type { PageFrame, RenderedPage } from '../service.ts'
import { type Markup, PAGE_HEADERS, renderSitePage, type SitePage } from './site-page.ts'

type ServicePage = Pick<SitePage, 'title' | 'main' | 'head' | 'canonical'> & {
  /** Default: its title. */
  readonly description?: string
  /** Whether the service is paid on a local chain, whose dollars have no value. */
  readonly isDemo?: boolean | undefined
}

/** A page of a service that sells, with its navigation. */
export async function renderPage({ isDemo, main, ...page }: ServicePage): Promise<RenderedPage> {
  const body = await renderSitePage({
    description: page.title,
    ...page,
    header: NAVIGATION,
    main: html`${isDemo ? DEMO : ''}${main}`,
    footer: FOOTER,
  })
  return { body, headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS } }
}

const DEMO: Markup = html`<p class="note mark"><strong>Demonstration.</strong> This instance is paid on a local test chain, whose dollars have no value. Pay only with accounts of that chain: a signature by any other wallet would be valid on Base, with real money.</p>
`
const NAVIGATION: Markup = html`<nav aria-label="Site"><a href="/">Endpoints</a><a href="/problems">Problems</a></nav>`
const FOOTER: Markup = html`<ul class="links"><li><a href="/openapi.json">OpenAPI</a></li><li><a href="/llms.txt">llms.txt</a></li><li><a href="/discovery/resources">Discovery</a></li><li><a href="/listing.json">Listing</a></li></ul>`

/** The design of the documentation. */
export const docsFrame: PageFrame = ({ title, lead, content }) =>
  renderPage({ title, main: html`<h1>${title}</h1><p class="lead">${lead}</p>${content}` })

export function renderProblemPage(
  frame: PageFrame,
  { code, detail, faults = [] }: Problem,
): Promise<RenderedPage> {
  const items = faults.map((fault) => html`<li><code>${fault.parameter}</code>: ${fault.detail}</li>`)
  const list =
    items.length === 0
      ? ''
      : html`<ul>${items}</ul>
`
  return frame({
    title: PROBLEMS[code].title,
    lead: detail,
    content: html`${list}<p><a href="/">Start page</a></p>`,
  })
}
