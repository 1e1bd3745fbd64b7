import { html } from 'hono/html'
import type { Markup } from '../../../../catalogue/documents/site-page.ts'
import type { MerchantReport } from '../../../build/merchant-report.ts'
import { renderChart } from '../../pages/chart.ts'
import { showCount, showDollars } from '../../pages/figures-text.ts'

/** Reported and passing dollars of each day, as a chart and as a table. */
export function renderDays(report: MerchantReport): Markup {
  const rows = report.daily.map(
    (day) =>
      html`<tr><th scope="row">${day.date}</th><td class="num">${showCount(day.tx)}</td><td class="num">${showDollars(day.real_usd)}</td><td class="num">${showDollars(day.usd)}</td></tr>`,
  )
  return html`<section aria-labelledby="days"><h2 id="days">Day by day</h2>
<figure class="panel"><figcaption><span class="key">Reported</span><span class="key passing">Passing every screen</span><span>Days are UTC; the first and the last are partial.</span></figcaption>
${report.daily.some((day) => day.usd > 0) ? renderChart(report.daily, report.window) : html`<p>The revenue of each day is below one cent, too little for a chart. The table shows the number of payments; the prices section below shows exact amounts.</p>`}
<details><summary>The same as a table</summary><table><thead><tr><th scope="col">Day</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Passing</th><th scope="col" class="num">Reported</th></tr></thead><tbody>${rows}</tbody></table></details>
</figure></section>`
}
