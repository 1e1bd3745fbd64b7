import { html } from 'hono/html'
import type { Markup } from '../../../../catalogue/documents/site-page.ts'
import type { InferredRevenue, MerchantReport } from '../../../build/merchant-report.ts'
import { showCount, showDollars, showPrice } from '../../pages/figures-text.ts'

/** Longer lists make the page slow; the JSON has all endpoints. */
const MAX_ENDPOINTS = 50

/** What endpoints with a price of their own probably earned, most real dollars first, and the rest. */
export function renderInferredRevenue({ inferred_revenue: inferred }: MerchantReport): Markup | string {
  if (!inferred) return ''
  const byRevenue = inferred.endpoints.toSorted((a, b) => b.real_usd - a.real_usd || b.usd - a.usd)
  const rows = byRevenue
    .slice(0, MAX_ENDPOINTS)
    .map((each) =>
      renderRow(html`<span class="mono">${each.resource}</span>`, showPrice(each.price_usd), each),
    )
  const more = byRevenue.length - rows.length
  return html`<section aria-labelledby="inferred"><h2 id="inferred">Revenue by endpoint, inferred</h2>
<p class="note mark">Inferred from prices, not recorded on the chain. Payments of exactly a fixed price that only one listed endpoint has are counted for it here. The last line is everything else, so that each column adds up to the total.</p>
<table class="stack"><thead><tr><th scope="col" class="plain">Endpoint</th><th scope="col" class="num">Per call</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Reported</th><th scope="col" class="num">Real</th></tr></thead><tbody>${rows}
${renderRow('Not attributed to an endpoint', '–', inferred.unattributed)}</tbody></table>${more > 0 ? html`<p>${showCount(more)} more endpoints are in the JSON report.</p>` : ''}</section>
`
}

function renderRow(endpoint: Markup | string, price: string, sums: InferredRevenue['unattributed']): Markup {
  return html`<tr><th scope="row" class="wide">${endpoint}</th><td class="num" data-label="Per call">${price}</td><td class="num" data-label="Payments">${showCount(sums.tx)}</td><td class="num" data-label="Reported">${showDollars(sums.usd)}</td><td class="num" data-label="Real">${showDollars(sums.real_usd)}</td></tr>`
}
