import { html } from 'hono/html'
import { readProblemGuide } from '../../../catalogue/documents/problems-page.ts'
import { PROBLEMS, type Problem } from '../../../http/problem.ts'
import { renderPage } from './layout.ts'

/** What each problem code means: the page that the `type` of a problem document links to. */
export function renderProblemsPage(baseUrl: string): Promise<string> {
  const guide = readProblemGuide()
  const sections = Object.entries(PROBLEMS).map(
    ([code, { status, title }]) => html`<section class="panel" id="${code}"><h2><code>${code}</code></h2>
<p><strong>${status}</strong> ${title}</p>${(guide.get(code) ?? []).map((paragraph) => html`<p>${paragraph.replaceAll('`', '')}</p>`)}</section>`,
  )
  return renderPage({
    title: 'Problem codes',
    description: 'Every code that a problem document can carry.',
    canonical: `${baseUrl}/problems`,
    main: html`<h1>Problem codes</h1>
<p class="lead">Errors are problem documents (RFC 9457) with one of these codes.</p>
<div class="stacked">${sections}</div>`,
  })
}

/** A problem as a page, for browsers. */
export function renderRefusalPage(problem: Problem): Promise<string> {
  const { title } = PROBLEMS[problem.code]
  const faults = (problem.faults ?? []).map(
    (fault) => html`<li><code>${fault.parameter}</code>: ${fault.detail}</li>`,
  )
  return renderPage({
    title,
    description: problem.detail,
    main: html`<h1>${title}</h1>
<p class="lead">${problem.detail}</p>
${faults.length === 0 ? '' : html`<ul>${faults}</ul>`}
<p><a href="/">All merchants</a></p>`,
  })
}
