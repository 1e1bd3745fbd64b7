import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { PROBLEMS, type Problem } from '../../http/problem.ts'
import type { PageFrame, RenderedPage } from '../service.ts'
import { ICON_PATH, PREVIEW_PATH } from './brand.ts'
import { DOCS_STYLE } from './docs-style.ts'

type Html = ReturnType<typeof html>

/** What search engines and link previews show of a page. */
type About = { readonly description: string; readonly url: string }

/**
 * Frames a page: no script, no form, no external requests, and a style that the policy allows by its hash.
 */
export async function renderPage(title: string, content: Html, about?: About): Promise<RenderedPage> {
  const body = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${about ? renderAbout(title, about) : ''}<link rel="icon" href="${ICON_PATH}" type="image/svg+xml"><style>${raw(DOCS_STYLE)}</style></head>
<body>${content}</body></html>`
  return {
    body: String(body),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    },
  }
}

function renderAbout(title: string, { description, url }: About): Html {
  return html`<meta name="description" content="${description}"><link rel="canonical" href="${url}"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}"><meta property="og:type" content="website"><meta property="og:url" content="${url}"><meta property="og:image" content="${new URL(PREVIEW_PATH, url).href}"><meta property="og:image:alt" content="${title}"><meta name="twitter:card" content="summary_large_image">`
}

/** The design of the documentation. */
export const docsFrame: PageFrame = ({ title, lead, content }) =>
  renderPage(title, html`<header><h1>${title}</h1><p>${lead}</p></header><main>${content}</main>`)

/** A problem as a page. */
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
