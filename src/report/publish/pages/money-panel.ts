import { html } from 'hono/html'
import { showDollars, showShare } from './figures-text.ts'
import type { Markup } from './layout.ts'
import { renderShareBar, shareOf } from './share-bar.ts'

/** The two figures that always stand together, equally large: what is real, and what was reported. */
export function renderMoneyPanel(realUsd: number, usd: number): Markup {
  const share = shareOf(realUsd, usd)
  return html`<div class="panel money">
<p><span class="key passing">Real</span> <span class="value real">${showDollars(realUsd)}</span> <span class="of">passes every screen</span></p>
<p><span class="key">Reported</span> <span class="value">${showDollars(usd)}</span> <span class="of">all that was paid</span></p>
<div class="whole">${renderShareBar(share)}<span class="of">${showDollars(realUsd)} of ${showDollars(usd)} reported (${showShare(share)})</span></div>
</div>`
}
