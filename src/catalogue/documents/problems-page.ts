import { readFileSync } from 'node:fs'
import { html } from 'hono/html'
import { PROBLEMS, type ProblemCode } from '../../http/problem.ts'
import { type RenderedPage, renderPage } from './page-frame.ts'

type Html = ReturnType<typeof html>

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
export function renderProblemsPage(): Promise<RenderedPage> {
  const guide = readProblemGuide()
  return renderPage(
    'Problem codes',
    html`<header><h1>Problem codes</h1><p>Errors are <code>application/problem+json</code> (RFC 9457) with a <code>code</code>. Errors are never charged.</p></header><main>
${Object.entries(PROBLEMS).map(
  ([code, { status, title }]) =>
    html`<section id="${code as ProblemCode}"><h2><code>${code}</code></h2><p><span class="tag">${status}</span> ${title}</p>${(guide.get(code) ?? []).map((paragraph) => html`<p>${renderCode(paragraph)}</p>`)}</section>`,
)}</main>`,
  )
}

function renderCode(text: string): (Html | string)[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))
}
