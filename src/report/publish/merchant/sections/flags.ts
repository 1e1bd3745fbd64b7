import { html } from 'hono/html'
import type { Markup } from '../../../../catalogue/documents/site-page.ts'
import type { FlagRecord, MerchantReport } from '../../../build/merchant-report.ts'
import type { ScreenText } from '../../documents/method.ts'
import { showCount, showDollars, showShare } from '../../pages/figures-text.ts'
import { shareOf } from '../../pages/share-bar.ts'

/** What each screen flagged, what the screen looks for, and what else can match it. */
export function renderFlags(report: MerchantReport, screens: readonly ScreenText[]): Markup {
  const found = Object.entries(report.flags)
  if (found.length === 0) {
    return html`<section aria-labelledby="flags"><h2 id="flags">Flags</h2><p>No screen flagged a payment: the real totals equal the reported ones. <a href="/methodology">How screens work</a></p></section>`
  }
  const panels = found.map(([kind, record]: [string, FlagRecord]) => {
    const screen = screens.find((each) => each.kind === kind)
    return html`<li class="panel"><h3>${screen?.title ?? kind} <code class="muted">${kind}</code></h3>
<p class="figures"><strong>${showCount(record.tx)}</strong> of ${showCount(report.tx)} payments, <strong>${showDollars(record.usd)}</strong> of ${showDollars(report.usd)} (${showShare(shareOf(record.usd, report.usd))})</p>
${screen ? explain(screen) : ''}</li>`
  })
  return html`<section aria-labelledby="flags"><h2 id="flags">Flags</h2>
<p class="note">${report.flag_note} <a href="/methodology">How screens work</a></p>
<ul class="stacked bare">${panels}</ul>
</section>`
}

function explain({ rule, innocent_causes }: ScreenText): Markup {
  return html`<p>${rule}</p><details><summary>What else can match it</summary><ul>${innocent_causes.map((cause) => html`<li>${cause}</li>`)}</ul></details>`
}
