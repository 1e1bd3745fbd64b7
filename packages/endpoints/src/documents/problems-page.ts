import { PROBLEMS, type ProblemCode } from '@tollbook/http/problem'
import { PROBLEM_GUIDE } from '@tollbook/http/problem-guide'
import { html } from 'hono/html'
import type { PageFrame, RenderedPage } from '../service.ts'
import type { Markup } from './site-page.ts'

/** The page at `/problems`; the `type` of every problem links to one of its headings. */
export function renderProblemsPage(frame: PageFrame): Promise<RenderedPage> {
  const sections = Object.entries(PROBLEMS).map(
    ([code, { status, title }]) =>
      html`<section id="${code}" class="panel"><h2><code>${code}</code></h2><p><span class="tag">${status}</span> ${title}</p>${PROBLEM_GUIDE[code as ProblemCode].map((paragraph) => html`<p>${renderCode(paragraph)}</p>`)}</section>
`,
  )
  return frame({
    title: 'Problem codes',
    lead: html`Errors are <code>application/problem+json</code> (RFC 9457) with a <code>code</code>. Errors are never charged.`,
    content: html`<div class="stacked">${sections}</div>`,
    path: '/problems',
  })
}

function renderCode(text: string): (Markup | string)[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))
}
