import type { Markup } from '@tollbook/endpoints/documents/site-page'
import type { Sums } from '@tollbook/verify/published/overview'
import { html } from 'hono/html'
import { showPassing, showSum } from './figures-text.ts'
import { renderShareBar, shareOfUsd } from './share-bar.ts'

/** The two figures that always appear together and at the same size: real and reported. */
export function renderMoneyPanel(totals: Sums): Markup {
  const share = shareOfUsd(totals)
  const real = showSum(totals.real_usd, totals.real_tx)
  const reported = showSum(totals.usd, totals.tx)
  return html`<div class="panel money">
<p><span class="key passing">Real</span> <span class="value real">${real}</span> <span class="of">passes every screen</span></p>
<p><span class="key">Reported</span> <span class="value">${reported}</span> <span class="of">all payments</span></p>
<div class="whole">${renderShareBar(share)}<span class="of">${real} of ${reported} reported (${showPassing(share)})</span></div>
</div>`
}
