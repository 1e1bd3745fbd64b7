import { PROBLEMS, type Problem } from '@tollbook/http/problem'
import { html } from 'hono/html'
import { isForOperator } from '../routes/read-availability.ts'
import type { PageFrame, RenderedPage, Service } from '../service.ts'
import { noteOfMoney, type PaidOn } from './money-note.ts'
import { type Markup, PAGE_HEADERS, renderSitePage, type SitePage } from './site-page.ts'
import { renderForOperator } from './unavailable-note.ts'

type ServicePage = Pick<SitePage, 'title' | 'main' | 'head' | 'canonical'> & {
  /** The service, for a note if its money has no value; default none. */
  readonly paidOn?: PaidOn
  /** Default: its title. */
  readonly description?: string
}

/** A page of a service that sells, with its navigation. */
export async function renderPage({ paidOn = {}, main, ...page }: ServicePage): Promise<RenderedPage> {
  const body = await renderSitePage({
    description: page.title,
    ...page,
    header: NAVIGATION,
    main: html`${renderNote(paidOn)}${main}`,
    footer: FOOTER,
  })
  return { body, headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS } }
}

function renderNote(paidOn: PaidOn): Markup | '' {
  const note = noteOfMoney(paidOn)
  if (note === null) return ''
  const kind = paidOn.isDemo ? 'Demonstration.' : 'Test network.'
  return html`<p class="note mark"><strong>${kind}</strong> ${note}</p>
`
}
const NAVIGATION: Markup = html`<nav aria-label="Site"><a href="/">Endpoints</a><a href="/problems">Problems</a></nav>`
const FOOTER: Markup = html`<ul class="links"><li><a href="/openapi.json">OpenAPI</a></li><li><a href="/llms.txt">llms.txt</a></li><li><a href="/discovery/resources">Discovery</a></li><li><a href="/listing.json">Listing</a></li></ul>`

/** The design of the pages of a service: its own, or that of the documentation. */
export function frameOf(service: Pick<Service, 'frame'> & PaidOn): PageFrame {
  if (service.frame) return service.frame
  return ({ title, lead, content }) =>
    renderPage({ title, paidOn: service, main: html`<h1>${title}</h1><p class="lead">${lead}</p>${content}` })
}

/** The design of the documentation. */
export const docsFrame: PageFrame = frameOf({})

type ProblemPlace = {
  readonly baseUrl: string
  readonly requestId: string
  /** The page on which the requested endpoint can be called, if there is one. */
  readonly tryPath: string | undefined
}

export function renderProblemPage(
  frame: PageFrame,
  { code, detail, issues = [] }: Problem,
  { baseUrl, requestId, tryPath }: ProblemPlace,
): Promise<RenderedPage> {
  const items = issues.map((issue) => html`<li><code>${issue.parameter}</code>: ${issue.detail}</li>`)
  const isFolded = isForOperator(code)
  return frame({
    title: PROBLEMS[code].title,
    lead: isFolded ? 'This instance does not sell it.' : html`${linkOwn(detail, baseUrl)}`,
    content: html`${isFolded ? renderForOperator(detail) : ''}${
      items.length === 0
        ? ''
        : html`<ul>${items}</ul>
`
    }
<ul class="links">${tryPath === undefined ? '' : html`<li><a href="${tryPath}">Call it on a page</a></li>`}<li><a href="/">Start page</a></li><li><a href="/problems#${code}">What <code>${code}</code> means</a></li></ul>
<p class="muted">Request <code>${requestId}</code></p>`,
  })
}

/** A sentence in which addresses of this service are links. */
function linkOwn(text: string, baseUrl: string): (Markup | string)[] {
  const [first = '', ...others] = text.split(`${baseUrl}/`)
  return [
    first,
    ...others.map((piece) => {
      // The full stop ends the sentence. A path that begins with a slash would lead to another host.
      const [path = ''] = /^(?!\/)[\w./#-]*\w/.exec(piece) ?? []
      return html`<a href="/${path}">/${path}</a>${piece.slice(path.length)}`
    }),
  ]
}
