import { html } from 'hono/html'
import { toUsdNumber } from '../../money/usdc.ts'
import { showAddress, showCount, showDollars, showShare } from './figures-text.ts'
import { type Markup, renderPage } from './layout.ts'
import type { RankedMerchant, RankingPage, Sort } from './ranking.ts'
import type { StoredEdition } from './stored-reports.ts'

export type RankingView = {
  /** Absent as long as nothing has been published. */
  readonly edition: StoredEdition | undefined
  readonly page: RankingPage
  readonly sort: Sort
  readonly search: string
  /** The published week that is shown; absent for the newest window. */
  readonly week?: string | undefined
  /** Published weeks, newest first. */
  readonly weeks: readonly string[]
  /** Path and query of this page, `search` for results. */
  readonly path: '/' | '/search'
  readonly baseUrl: string
}

const COLUMNS: readonly (readonly [title: string, sort: Sort | null, isNumber: boolean])[] = [
  ['Rank', null, false],
  ['Merchant', null, false],
  ['Real', 'real_usd', true],
  ['Reported', 'usd', true],
  ['Passes', 'share', true],
  ['Payments', 'tx', true],
  ['Buyers', 'buyers', true],
  ['Flags', null, false],
]

/** The ranking, or what a search found, for people. */
export function renderRankingPage(view: RankingView): Promise<string> {
  const isSearch = view.path === '/search'
  const day = view.edition ? new Date(view.edition.window_end).toISOString().slice(0, 10) : ''
  const title = isSearch ? `Search: ${view.search}` : 'x402 merchants by real revenue'
  return renderPage({
    title: isSearch ? title : `${title}, 7 days to ${day}`,
    description: 'What merchants are paid over x402 on Base, as reported and as it passes every screen.',
    ...(isSearch ? {} : { canonical: `${view.baseUrl}${toHref(view, {})}` }),
    search: view.search,
    main: html`<h1>${title}</h1>
${isSearch ? '' : summary(view.edition, day)}
${isSearch ? '' : weeks(view)}
${view.page.merchants.length === 0 ? nothing(isSearch) : table(view, day)}
${pages(view)}`,
  })
}

function summary(edition: StoredEdition | undefined, day: string): Markup {
  if (!edition) return html`<p class="lead">Nothing has been published yet.</p>`
  const share = edition.amount === 0 ? 0 : edition.real_amount / edition.amount
  return html`<p class="lead">In the 7 days to ${day} (UTC) ${showCount(edition.merchants)} merchants on Base received <strong>${showDollars(toUsdNumber(BigInt(edition.amount)))}</strong> in ${showCount(edition.tx)} x402 payments. <strong>${showDollars(toUsdNumber(BigInt(edition.real_amount)))}</strong> of it (${showShare(share)}) passes every screen.</p>
<p class="muted">Both figures always stand side by side. A flag is a pattern in public data, not a finding of wrongdoing. <a href="/methodology">How payments are counted and screened</a></p>`
}

function weeks(view: RankingView): Markup {
  if (view.weeks.length === 0) return html``
  const link = (week: string | undefined, label: string) =>
    html`<li><a href="${toHref({ ...view, week }, {})}" ${view.week === week ? html`aria-current="page"` : ''}>${label}</a></li>`
  return html`<nav aria-label="Week"><ul class="links">${link(undefined, 'Newest window')}${view.weeks.map((week) => link(week, `Week to ${week}`))}</ul></nav>`
}

function nothing(isSearch: boolean): Markup {
  return isSearch
    ? html`<p>No merchant was found. Search for a host, a wallet address, or words of an endpoint.</p>`
    : html`<p>No payment was found in this window.</p>`
}

function table(view: RankingView, day: string): Markup {
  const head = COLUMNS.map(([title, sort, isNumber]) => {
    const label = sort === null ? title : html`<a href="${toHref(view, { sort })}">${title}</a>`
    const isSorted = sort !== null && sort === view.sort
    return html`<th scope="col" class="${isNumber ? 'num' : 'plain'}" ${isSorted ? html`aria-sort="descending"` : ''}>${label}${isSorted ? ' ↓' : ''}</th>`
  })
  return html`<table class="stack ranking"><caption>${view.path === '/search' ? 'Merchants found' : `7 days to ${day}`}; dollars and payments as reported, and what of them passes every screen</caption>
<thead><tr>${head}</tr></thead><tbody>${view.page.merchants.map((merchant) => row(merchant, view.week))}</tbody></table>`
}

function row(merchant: RankedMerchant, week: string | undefined): Markup {
  const { address, name, rank } = merchant
  const share = merchant.usd === 0 ? 0 : merchant.real_usd / merchant.usd
  const href = `/merchants/base/${address}${week === undefined ? '' : `?week=${week}`}`
  const flags = Object.keys(merchant.flags)
  const isListed = name !== address
  return html`<tr>
<td class="rank">${rank ?? '–'}</td>
<th scope="row"><a href="${href}">${isListed ? name : showAddress(address)}</a><span class="rest">${isListed ? html`<span class="mono">${showAddress(address)}</span>` : 'not listed anywhere'}</span></th>
<td class="num" data-label="Real">${showDollars(merchant.real_usd)}</td>
<td class="num" data-label="Reported">${showDollars(merchant.usd)}</td>
<td class="num" data-label="Passes">${showShare(share)}${shareBar(share)}</td>
<td class="num" data-label="Payments">${showCount(merchant.real_tx)}<span class="rest">of ${showCount(merchant.tx)}</span></td>
<td class="num" data-label="Buyers">${showCount(merchant.real_buyers)}<span class="rest">of ${showCount(merchant.buyers)}</span></td>
<td class="${flags.length === 0 ? 'none' : 'wide mono'}" data-label="Flags">${flags.join(', ') || '–'}</td></tr>`
}

/** The passing part of a bar; what it shows stands beside it as text. */
function shareBar(share: number): Markup {
  return html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round(share * 1000) / 10}" height="8"/></svg>`
}

function pages(view: RankingView): Markup {
  const { nextCursor } = view.page
  if (nextCursor === null) return html``
  return html`<nav class="pages" aria-label="Pages"><a href="${toHref(view, { cursor: nextCursor })}" rel="next">Next page</a></nav>`
}

/** A link to this page in another order, or to its next part. */
function toHref(view: RankingView, change: { readonly sort?: Sort; readonly cursor?: string }): string {
  const sort = change.sort ?? view.sort
  const query = new URLSearchParams({
    ...(view.path === '/search' && { q: view.search }),
    ...(view.week !== undefined && { week: view.week }),
    ...(sort !== 'real_usd' && { sort }),
    ...(change.cursor !== undefined && { cursor: change.cursor }),
  }).toString()
  return query === '' ? view.path : `${view.path}?${query}`
}
