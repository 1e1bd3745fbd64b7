import type { Markup } from '@tollbook/endpoints/documents/site-page'
import { toUtcDate } from '@tollbook/verify/build/compose-report'
import { toSpan } from '@tollbook/verify/build/window'
import { isGroupKey } from '@tollbook/verify/published/group-key'
import { SCREENS } from '@tollbook/verify/screen/screens'
import { html } from 'hono/html'
import type { StoredEdition } from '../editions/stored-reports.ts'
import { toSums } from '../served/merchant-line.ts'
import type { RankedMerchant, RankingPage } from '../served/ranking.ts'
import { naturalDirection, type Sort } from '../served/ranking-order.ts'
import { showAddress, showCount, showPassing, showSum } from './figures-text.ts'
import { renderPage } from './layout.ts'
import { toShownName } from './merchant-name.ts'
import { renderMoneyPanel } from './money-panel.ts'
import { renderNotice } from './publication-notice.ts'
import { type RankingPlace, toRankingHref } from './ranking-href.ts'
import { renderShareBar, shareOfUsd } from './share-bar.ts'

type RankingView = RankingTable & {
  /** Absent until something has been published. */
  readonly edition: StoredEdition | undefined
  /** Lengths of the newest windows that are published, days. */
  readonly windows: readonly number[]
  /** Published weeks, newest first. */
  readonly weeks: readonly string[]
  readonly baseUrl: string
  /** Whether the newest window lags behind the chain. */
  readonly isLate: boolean
  /** Whether the chain is a local one, whose tokens have no value. */
  readonly isDemo: boolean
}

/** As many as /compare shows. */
const MAX_COMPARED = 5
/** Links to the newest weeks are visible, the others are behind one more click. */
const WEEKS_IN_SIGHT = 3

export function renderRankingPage(view: RankingView): Promise<string> {
  return view.path === '/search' ? renderFound(view) : renderRanking(view)
}

function renderRanking(view: RankingView): Promise<string> {
  const { edition, week, days = '7' } = view
  const day = edition ? toUtcDate(edition.window_end / 1000) : ''
  const span = toSpan(Number(days))
  const title = 'x402 merchants by real revenue'
  return renderPage({
    title: edition ? `${title}, ${span} to ${day}` : title,
    description: 'x402 revenue of merchants on Base: reported totals, and the totals that pass every screen.',
    canonical: `${view.baseUrl}${toRankingHref(view, { cursor: null })}`,
    week,
    isDemo: view.isDemo,
    main: html`<h1>${title}</h1>
<p class="intro">x402 lets a program pay for a single web request in digital dollars (USDC), without an account. Every such payment is public on Base, a blockchain, so anyone can add up the revenue of a seller. That sum alone proves little, because sellers can also pay themselves. This page therefore shows the <strong>reported</strong> figure together with the <strong>real</strong> one, which excludes payments that match patterns of repeated traffic or of sellers paying themselves. The rules that look for such patterns are called screens. <a href="https://www.x402.org/">About x402</a> · <a href="/methodology">How payments are counted and screened</a></p>
${edition ? renderNotice(edition, view.isLate) : ''}
${renderWeeks(view)}
${renderRevision(view)}
${edition ? renderSummary(edition, `${span} to ${day}`) : html`<p class="lead">Nothing has been published yet. The first window appears here as soon as its blocks have been read.</p>`}
${edition && view.page.merchants.length === 0 ? html`<p>No payment was found in this window.</p>` : ''}
${renderRanked(view)}${renderCompare(view)}${view.page.merchants.length === 0 ? '' : renderRankingTable(view, `${span} to ${day}`)}
${renderPages(view)}`,
  })
}

function renderFound(view: RankingView): Promise<string> {
  const { search } = view.order
  const { merchants } = view.page
  const scope =
    view.week === undefined ? `the newest ${toSpan(Number(view.days ?? 7))}` : `the week to ${view.week}`
  return renderPage({
    title: `Search: ${search}`,
    description: 'Merchants found by name, wallet address or words of their endpoints.',
    search,
    week: view.week,
    isDemo: view.isDemo,
    main: html`<h1>Search: ${search}</h1>
<p class="muted">In ${scope}. Every word must occur in the host, the wallet address or the listed endpoints of a merchant.</p>
${
  merchants.length === 0
    ? html`<p>No merchant was found. Search for a host, a wallet address, or words of an endpoint, or browse <a href="/">the ranking</a>.</p>`
    : renderRankingTable(view, 'Merchants found')
}
${renderPages(view)}`,
  })
}

function renderSummary(edition: StoredEdition, window: string): Markup {
  return html`<p class="lead">In the ${window} (UTC) ${showCount(edition.merchants)} merchants on Base were paid over x402.</p>
${renderMoneyPanel(toSums(edition))}
<p class="note">${showCount(edition.real_tx)} of ${showCount(edition.tx)} payments pass every screen; the others are flagged. A flag is a pattern in public on-chain data, not a finding of wrongdoing.</p>`
}

function renderWeeks(view: RankingView): Markup {
  const link = (to: Pick<RankingView, 'week' | 'days'>, label: string) =>
    html`<li><a href="${toRankingHref({ ...view, days: undefined, ...to, revision: undefined }, { cursor: null })}" ${view.week === to.week && (to.week !== undefined || (view.days ?? '7') === to.days) ? html`aria-current="page"` : ''}>${label}</a></li>`
  const toLink = (week: string) => link({ week }, `Week to ${week}`)
  if (view.weeks.length === 0 && view.windows.length < 2) return html``
  const newest = view.windows.map((days) =>
    link({ week: undefined, days: String(days) }, `Newest ${toSpan(days)}`),
  )
  const older = view.weeks.slice(WEEKS_IN_SIGHT)
  const isOlderShown = view.week !== undefined && older.includes(view.week)
  return html`<nav class="weeks" aria-label="Window"><ul class="tabs">${newest}${view.weeks.slice(0, WEEKS_IN_SIGHT).map(toLink)}</ul>${
    older.length === 0
      ? ''
      : html`<details ${isOlderShown ? html`open` : ''}><summary>Older weeks</summary><ul class="tabs">${older.map(toLink)}</ul></details>`
  }</nav>`
}

/** Links to the same ranking in which a merchant with several wallets counts once, or not. */
function renderRanked(view: RankingView): Markup | string {
  if (!view.page.hasGroups) return ''
  const isOne = view.by === 'group' || view.by === 'operator'
  const href = toRankingHref({ ...view, by: isOne ? 'wallet' : 'group' }, { cursor: null })
  return html`<p class="note">${isOne ? 'Merchants with several wallets count as one.' : 'Some merchants have several wallets, each of which is ranked here.'} <a href="${href}">${isOne ? 'Rank each wallet' : 'Rank each merchant as one'}</a></p>
`
}

function renderCompare({ page }: RankingView): Markup | string {
  const first = page.merchants.slice(0, MAX_COMPARED)
  if (first.length < 2) return ''
  const merchants = first.map(({ address }) => encodeURIComponent(address)).join(',')
  return html`<p class="note"><a href="/compare?merchants=${merchants}">Compare the first ${first.length}</a></p>
`
}

/** Tells readers of a specific revision that a newer one may exist. */
function renderRevision({ week, revision }: RankingView): Markup {
  if (week === undefined || revision === undefined) return html``
  return html`<p class="note">This is revision ${revision} of the week. <a href="/?week=${week}">The newest revision</a> · <a href="/weeks/${week}.json">All revisions as JSON</a></p>`
}

function renderPages(view: RankingView): Markup {
  const { nextCursor, previousCursor } = view.page
  if (nextCursor === null && previousCursor === null) return html``
  const first = html`<a href="${toRankingHref(view, { cursor: null })}">First page</a><a href="${toRankingHref(view, { cursor: previousCursor })}" rel="prev">Previous page</a>`
  return html`<nav class="pages" aria-label="Pages">${previousCursor === null ? '' : first}${nextCursor === null ? '' : html`<a href="${toRankingHref(view, { cursor: nextCursor })}" rel="next">Next page</a>`}</nav>`
}

type Column = readonly [title: string, sort: Sort, kind: 'text' | 'number']

const COLUMNS: readonly Column[] = [
  // Ranks follow real revenue; frozen merchants have none.
  ['Rank', 'real_usd', 'text'],
  ['Merchant', 'name', 'text'],
  ['Real', 'real_usd', 'number'],
  ['Reported', 'usd', 'number'],
  ['Passes', 'share', 'number'],
  ['Payments', 'real_tx', 'number'],
  ['Buyers', 'real_buyers', 'number'],
  ['Effective', 'effective_buyers', 'number'],
  ['Returning', 'returning_buyers', 'number'],
  ['Flagged', 'flagged_tx', 'text'],
]

/** A short label for each kind of flag; a kind of an older method is shown unchanged. */
const TITLES: ReadonlyMap<string, string> = new Map(SCREENS.map(({ kind, title }) => [kind, title]))

type RankingTable = RankingPlace & { readonly page: RankingPage }

/** Merchants with reported and real figures; a column title sorts, a second click reverses. */
function renderRankingTable(view: RankingTable, title: string): Markup {
  const rows = view.page.merchants.map((merchant) =>
    row(merchant, { query: toQuery(view), isFrozen: view.page.frozen.has(merchant.address) }),
  )
  return html`<table class="stack ranking"><caption>${title}: dollars, payments and buyers that pass every screen, with the reported figures</caption>
<thead><tr>${COLUMNS.map((column) => head(view, column))}</tr></thead><tbody>${rows}</tbody></table>`
}

/** Keeps links to merchants in the window and revision shown. */
function toQuery({ week, revision, days = '7' }: RankingPlace): string {
  if (week === undefined) return days === '7' ? '' : `?days=${days}`
  return revision === undefined ? `?week=${week}` : `?week=${week}&revision=${revision}`
}

function head(view: RankingTable, [title, sort, kind]: Column): Markup {
  const { order } = view
  const isSorted = sort === order.sort && title !== 'Rank'
  const natural = naturalDirection(sort)
  const turned = natural === 'asc' ? 'desc' : 'asc'
  const direction = isSorted && order.direction === natural ? turned : natural
  const [state, arrow] = order.direction === 'asc' ? ['ascending', '↑'] : ['descending', '↓']
  const href = toRankingHref(view, { sort, direction, cursor: null })
  const mark = isSorted ? html`<span aria-hidden="true"> ${arrow}</span>` : ''
  return html`<th scope="col" class="${kind === 'number' ? 'num' : 'plain'}" ${isSorted ? html`aria-sort="${state}"` : ''}><a href="${href}">${title}</a>${mark}</th>`
}

function row(
  merchant: RankedMerchant,
  { query, isFrozen }: { readonly query: string; readonly isFrozen: boolean },
): Markup {
  const { address, rank } = merchant
  const { title, rest } = describeMerchant(merchant)
  const share = shareOfUsd(merchant)
  const flagged = merchant.tx - merchant.real_tx
  const kinds = Object.keys(merchant.flags).map(
    (kind, index) =>
      html`${index > 0 ? ', ' : ''}<a href="/methodology#${kind}">${TITLES.get(kind) ?? kind}</a>`,
  )
  return html`<tr>
<td class="rank">${rank ?? '–'}</td>
<th scope="row"><a href="/merchants/base/${address}${query}">${title}</a><span class="rest">${rest}${isFrozen ? ', no payment in this window' : ''}</span></th>
<td class="num real" data-label="Real">${showSum(merchant.real_usd, merchant.real_tx)}</td>
<td class="num" data-label="Reported">${showSum(merchant.usd, merchant.tx)}</td>
<td class="num" data-label="Passes">${showPassing(share)}${renderShareBar(share)}</td>
<td class="num" data-label="Payments">${showCount(merchant.real_tx)}<span class="rest">of ${showCount(merchant.tx)}</span></td>
<td class="num" data-label="Buyers">${showCount(merchant.real_buyers)}<span class="rest">of ${showCount(merchant.buyers)}</span></td>
<td class="num" data-label="Effective buyers">${merchant.effective_buyers === null ? '–' : showCount(merchant.effective_buyers)}</td>
<td class="num" data-label="Returning buyers">${merchant.returning_buyers === null ? '–' : showCount(merchant.returning_buyers)}</td>
<td class="${flagged === 0 ? 'none' : 'wide'}" data-label="Flagged">${flagged === 0 ? '–' : html`${showCount(flagged)}<span class="rest">${kinds}</span>`}</td></tr>`
}

/** The title of a merchant and the line below it. */
function describeMerchant(merchant: RankedMerchant): {
  readonly title: string
  readonly rest: Markup | string
} {
  if (isGroupKey(merchant.address)) return { title: merchant.name, rest: 'several wallets' }
  const address = showAddress(merchant.address)
  const { name, unconfirmed } = toShownName(merchant)
  if (name !== null) return { title: name, rest: html`<span class="mono">${address}</span>` }
  return {
    title: address,
    rest: unconfirmed === null ? 'not listed anywhere' : `${unconfirmed} (unconfirmed)`,
  }
}
