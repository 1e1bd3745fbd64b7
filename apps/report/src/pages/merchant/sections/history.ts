import type { Markup } from '@tollbook/endpoints/documents/site-page'
import { html } from 'hono/html'
import type { MerchantWeek } from '../../../served/merchant-history.ts'
import { showCount, showPassing, showSum } from '../../figures-text.ts'
import { renderShareBar, shareOfUsd } from '../../share-bar.ts'

export type HistorySection = {
  readonly path: string
  /** Newest first. */
  readonly weeks: readonly MerchantWeek[]
  /** The week that the page shows; absent for the newest window. */
  readonly shown?: string | undefined
}

/** The published weeks of a merchant, each a link to its page. */
export function renderHistory({ path, weeks, shown }: HistorySection): Markup {
  const feed = html`<a href="${path}/feed.atom" type="application/atom+xml">Atom feed</a>`
  if (weeks.length === 0) {
    return html`<section aria-labelledby="weeks"><h2 id="weeks">Published weeks</h2><p>No week of this merchant has been published yet. A week is published after it ends (Sunday, 12:00 UTC) and does not change afterwards. ${feed}</p></section>`
  }
  const rows = weeks.map((week) => {
    const share = shareOfUsd(week)
    const isShown = week.week === shown
    return html`<tr><th scope="row" class="wide"><a href="${path}?week=${week.week}" ${isShown ? html`aria-current="page"` : ''}>${week.week}</a></th><td class="num" data-label="Real">${showSum(week.real_usd, week.real_tx)}</td><td class="num" data-label="Reported">${showSum(week.usd, week.tx)}</td><td class="num" data-label="Passes">${showPassing(share)}${renderShareBar(share)}</td><td class="num" data-label="Payments">${showCount(week.real_tx)}<span class="rest">of ${showCount(week.tx)}</span></td><td class="num" data-label="Rank">${week.rank ?? '–'}</td></tr>`
  })
  return html`<section aria-labelledby="weeks"><h2 id="weeks">Published weeks</h2>
<p>A published week does not change; a correction is published as a new revision. ${shown === undefined ? '' : html`<a href="${path}">The newest window</a> `}${feed}</p>
<table class="stack"><thead><tr><th scope="col">Week to</th><th scope="col" class="num">Real</th><th scope="col" class="num">Reported</th><th scope="col" class="num">Passes</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Rank</th></tr></thead><tbody>${rows}</tbody></table></section>`
}
