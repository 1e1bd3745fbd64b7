import { html } from 'hono/html'
import { showCount } from '../pages/figures-text.ts'
import { renderPage } from '../pages/layout.ts'
import type { Method } from './method.ts'

/** How payments are counted and screened, for people. */
export function renderMethodPage(method: Method, baseUrl: string): Promise<string> {
  const screens = method.screens.map((screen) => {
    const thresholds = Object.entries(screen.thresholds).map(
      ([name, value]) => html`<dt class="mono">${name}</dt><dd>${showCount(value)}</dd>`,
    )
    return html`<section class="panel" aria-labelledby="${screen.kind}"><h3 id="${screen.kind}">${screen.title} <code class="muted">${screen.kind}</code></h3>
<p>${screen.rule}</p>${thresholds.length === 0 ? '' : html`<dl>${thresholds}</dl>`}
<p>What else can match it:</p><ul>${screen.innocent_causes.map((cause) => html`<li>${cause}</li>`)}</ul></section>`
  })
  const definitions = method.definitions.map(({ term, text }) => html`<dt>${term}</dt><dd>${text}</dd>`)
  const changes = method.changes.map(
    (change) => html`<dt>Version ${change.version}</dt><dd>${change.changes.join(' ')}</dd>`,
  )
  return renderPage({
    title: 'How payments are counted and screened',
    description:
      'The rule that makes a transfer a payment, every screen with its thresholds, and the definition of each figure.',
    canonical: `${baseUrl}/methodology`,
    main: html`<h1>How payments are counted and screened</h1>
<p class="lead">Every report shows two figures: the reported total on the chain, and the part that passes every screen. Both follow from public data by the rules below, so anyone can recompute them.</p>
<p class="muted">Version ${method.version}. Facilitators submit the payments of buyers to the chain; the method uses the list ${method.facilitator_list}. Machine-readable version: <a href="/method.json">/method.json</a></p>
<h2>Screens</h2>
<p>Screens describe patterns in public on-chain data. A flag is not a finding of wrongdoing: a merchant testing its own endpoint, one large customer or a high-volume integration can match a screen.</p>
<div class="stacked">${screens}</div>
<h2>Figures</h2>
<dl>${definitions}</dl>
<h2 id="changes">Versions of the method</h2>
<p>Each report states the version of the method that computed it. A published week keeps its version.</p>
<dl>${changes}</dl>`,
  })
}
