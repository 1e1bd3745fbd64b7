import { html } from 'hono/html'
import { PROBLEMS, type Problem } from '../../catalogue/problem.ts'
import { renderPage } from './layout.ts'

/** What each problem code means: the page to which the `type` of a problem document leads. */
export function renderProblemsPage(
  problems: Readonly<Record<string, { readonly status: number; readonly title: string }>>,
  baseUrl: string,
): Promise<string> {
  const rows = Object.entries(problems).map(
    ([code, { status, title }]) =>
      html`<tr id="${code}"><th scope="row" class="mono">${code}</th><td class="num">${status}</td><td>${title}</td></tr>`,
  )
  return renderPage({
    title: 'Problem codes',
    description: 'Every code that a problem document can carry.',
    canonical: `${baseUrl}/problems`,
    main: html`<h1>Problem codes</h1>
<p class="lead">Refusals are problem documents (RFC 9457) with one of these codes.</p>
<table><thead><tr><th scope="col">Code</th><th scope="col" class="num">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table>`,
  })
}

/** A refusal for who opened a page in a browser. */
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
