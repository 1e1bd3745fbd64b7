import { html } from 'hono/html'
import type { Markup } from '../../../../catalogue/documents/site-page.ts'
import type { MerchantReport } from '../../../build/merchant-report.ts'
import { renderFigureCard } from '../../pages/figure-card.ts'
import { showCount, showDollars, showShare } from '../../pages/figures-text.ts'
import { renderMoneyPanel } from '../../pages/money-panel.ts'

/** The three totals, each real figure next to the reported one, and the share of the largest buyer. */
export function renderTotals(report: MerchantReport): Markup {
  const { tx, real_tx, buyers, real_buyers } = report
  return html`${renderMoneyPanel(report)}
<ul class="cards" aria-label="Other totals that pass every screen, with the reported totals">
${renderFigureCard({ label: 'Payments that pass', real: real_tx, reported: tx, show: showCount })}
${renderFigureCard({ label: 'Buyer wallets that pass', real: real_buyers, reported: buyers, show: showCount })}
<li><span class="label">Largest buyer</span><span class="value">${showShare(report.top_buyer_share)}</span><span class="of">of all reported dollars</span></li>
${
  report.effective_buyers === undefined
    ? ''
    : html`<li><span class="label">Effective buyers</span><span class="value">${showCount(report.effective_buyers)}</span><span class="of">as concentrated as this many equal buyers</span></li>
`
}${
  report.returning_buyers === undefined
    ? ''
    : html`<li><span class="label">Returning buyers</span><span class="value">${showCount(report.returning_buyers)}</span><span class="of">of those that pass, also paid in the 7 days before</span></li>
`
}${
  report.fees_usd === undefined
    ? ''
    : html`<li><span class="label">Fees on the way</span><span class="value">${showDollars(report.fees_usd)}</span><span class="of">kept by routers and escrows, in no other figure</span></li>
`
}</ul>`
}
