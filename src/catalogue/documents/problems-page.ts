import { readFileSync } from 'node:fs'
import { html } from 'hono/html'
import { PROBLEMS } from '../../http/problem.ts'
import type { PageFrame, RenderedPage } from '../service.ts'
import type { Markup } from './site-page.ts'

/** The explanation of each code in docs/problems.md: paragraphs of plain text, code in backticks. */
export function readProblemGuide(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(new URL('../../../docs/problems.md', import.meta.url), 'utf8')
  const sections = text.split(/^## /m).slice(1)
  return new Map(
    sections.map((section) => {
      const [code = '', ...paragraphs] = section.split(/\n\s*\n|\n/).map((line) => line.trim())
      return [code, paragraphs.filter((paragraph) => paragraph !== '')]
    }),
  )
}

/** The page at `/problems`; the `type` of every problem links to one of its headings. */
export function renderProblemsPage(frame: PageFrame): Promise<RenderedPage> {
  const guide = readProblemGuide()
  const sections = Object.entries(PROBLEMS).map(
    ([code, { status, title }]) =>
      html`<section id="${code}" class="panel"><h2><code>${code}</code></h2><p><span class="tag">${status}</span> ${title}</p>${(guide.get(code) ?? []).map((paragraph) => html`<p>${renderCode(paragraph)}</p>`)}</section>
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
