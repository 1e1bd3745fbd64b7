import { html } from 'hono/html'
import type { Unavailability } from '../routes/read-availability.ts'
import type { Markup } from './site-page.ts'

/** Why an endpoint cannot be called now; what the operator can change about it is folded. */
export function renderUnavailable({ short, detail, isForOperator }: Unavailability): Markup {
  const note = isForOperator ? 'This instance does not sell it.' : detail
  return html`<p class="note mark"><strong>Currently ${short}.</strong> ${note}</p>${isForOperator ? renderForOperator(detail) : ''}`
}

export function renderForOperator(detail: string): Markup {
  return html`<details><summary>For the operator</summary><p>${detail}</p></details>`
}
