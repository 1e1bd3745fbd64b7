import { html } from 'hono/html'
import type { MerchantLine } from '../editions/merchant-line.ts'
import type { MerchantWeek } from '../merchant/merchant-history.ts'
import { type Bar, renderBars } from '../pages/chart.ts'
import { showAddress, showCount, showPassing, showSum } from '../pages/figures-text.ts'
import { renderPage } from '../pages/layout.ts'
import { toShownName } from '../pages/merchant-name.ts'
import { renderShareBar, shareOfUsd } from '../pages/share-bar.ts'

export type ComparedMerchant = MerchantLine & {
  readonly address: string
  readonly rank: number | null
  /** URL of its report. */
  readonly report: string
  /** Newest first. */
  readonly weeks: readonly Omit<MerchantWeek, 'name' | 'name_confirmed' | 'etag' | 'changedAt'>[]
}

/** Merchants side by side: the newest seven days, and every published week on one scale. */
export function renderComparePage(
  merchants: readonly ComparedMerchant[],
  { baseUrl, isDemo }: { readonly baseUrl: string; readonly isDemo: boolean },
): Promise<string> {
  const names = merchants.map((merchant) => toShownName(merchant).name ?? showAddress(merchant.address))
  const query = `?merchants=${merchants.map(({ address }) => encodeURIComponent(address)).join(',')}`
  const rows = merchants.map((merchant, at) => {
    const share = shareOfUsd(merchant)
    return html`<tr><th scope="row" class="wide"><a href="/merchants/base/${merchant.address}">${names[at]}</a></th><td class="num real" data-label="Real">${showSum(merchant.real_usd, merchant.real_tx)}</td><td class="num" data-label="Reported">${showSum(merchant.usd, merchant.tx)}</td><td class="num" data-label="Passes">${showPassing(share)}${renderShareBar(share)}</td><td class="num" data-label="Payments">${showCount(merchant.real_tx)}<span class="rest">of ${showCount(merchant.tx)}</span></td><td class="num" data-label="Buyers">${showCount(merchant.real_buyers)}<span class="rest">of ${showCount(merchant.buyers)}</span></td><td class="num" data-label="Effective buyers">${merchant.effective_buyers === null ? '–' : showCount(merchant.effective_buyers)}</td><td class="num" data-label="Returning buyers">${merchant.returning_buyers === null ? '–' : showCount(merchant.returning_buyers)}</td><td class="num" data-label="Rank">${merchant.rank ?? '–'}</td></tr>`
  })
  const weeks = [...new Set(merchants.flatMap((each) => each.weeks.map(({ week }) => week)))].sort()
  const top = Math.max(...merchants.flatMap((each) => each.weeks.map(({ usd }) => usd)))
  const charts = merchants.map((merchant, at) => {
    const bars = weeks.map((week): Bar => {
      const own = merchant.weeks.find((each) => each.week === week)
      return { date: week, tx: own?.tx ?? 0, usd: own?.usd ?? 0, real_usd: own?.real_usd ?? 0 }
    })
    return html`<figure class="panel"><h3>${names[at]}</h3><figcaption><span class="key">Reported</span><span class="key passing">Passing every screen</span></figcaption>
${renderBars(bars, `Dollars per week of ${names[at]}`, top)}</figure>`
  })
  return renderPage({
    title: `Comparison: ${names.join(', ')}`,
    description: 'x402 revenue of merchants on Base side by side: reported, and passing every screen.',
    canonical: `${baseUrl}/compare${query}`,
    isDemo,
    main: html`<h1>Merchants side by side</h1>
<p class="muted">The newest 7 days, and every published week. <a href="/compare.json${query}">As JSON</a></p>
<table class="stack"><thead><tr><th scope="col">Merchant</th><th scope="col" class="num">Real</th><th scope="col" class="num">Reported</th><th scope="col" class="num">Passes</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Buyers</th><th scope="col" class="num">Effective buyers</th><th scope="col" class="num">Returning</th><th scope="col" class="num">Rank</th></tr></thead><tbody>${rows}</tbody></table>
${
  weeks.length === 0
    ? html`<p class="note">No week of these merchants has been published yet.</p>`
    : html`<section aria-labelledby="weeks"><h2 id="weeks">Week by week</h2>
<p class="note">All charts have the same scale.</p>
<div class="stacked">${charts}</div></section>`
}`,
  })
}
