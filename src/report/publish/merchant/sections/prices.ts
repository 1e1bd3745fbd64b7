import { html } from 'hono/html'
import type { Markup } from '../../../../catalogue/documents/site-page.ts'
import type { MerchantReport } from '../../../build/merchant-report.ts'
import { showCount, showPrice } from '../../pages/figures-text.ts'
import { renderPriceChart } from '../price-chart.ts'

/** What a payment costs: the quartiles of the paid amounts next to the listed prices. */
export function renderPrices(report: MerchantReport): Markup {
  const { p25, median, p75, median_passing } = report.paid
  const listed = report.bazaar_listings.map(({ price_usd }) => price_usd)
  const note = report.exchange_flow_note
  const passing =
    report.real_tx === 0
      ? 'No payment passes every screen.'
      : html`Among payments that pass every screen, the median is <strong>${showPrice(median_passing)}</strong>.`
  const rows: readonly (readonly [string, string])[] = [
    ['First quartile of all payments', showPrice(p25)],
    ['Median of all payments', showPrice(median)],
    ['Third quartile of all payments', showPrice(p75)],
    ['Median of the passing payments', report.real_tx === 0 ? '–' : showPrice(median_passing)],
    ['Listed prices', showRange(listed)],
  ]
  return html`<section aria-labelledby="paid"><h2 id="paid">What a payment costs</h2>
<p>The median payment is <strong>${showPrice(median)}</strong>; a quarter of all payments are at most ${showPrice(p25)}, and a quarter at least ${showPrice(p75)}. ${passing}</p>
<figure class="panel"><figcaption><span class="key">Middle half of all payments</span><span class="key line">Median</span><span class="key dot passing">Median of passing payments</span>${listed.length === 0 ? '' : html`<span class="key mark">Listed price</span>`}</figcaption>
${renderPriceChart(report.paid, listed)}
<details><summary>The same as a table</summary><table><thead><tr><th scope="col">Figure</th><th scope="col" class="num">Dollars</th></tr></thead><tbody>${rows.map(([label, value]) => html`<tr><th scope="row">${label}</th><td class="num">${value}</td></tr>`)}</tbody></table></details>
</figure>
${note ? html`<p class="note">${note}</p>` : ''}</section>`
}

function showRange(prices: readonly number[]): string {
  if (prices.length === 0) return 'none'
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const range = low === high ? showPrice(low) : `${showPrice(low)} to ${showPrice(high)}`
  return `${range} (${showCount(prices.length)} endpoints)`
}
