import { html } from 'hono/html'
import type { Markup } from '../../../catalogue/documents/site-page.ts'
import { isOperatorKey } from '../../claims/operators.ts'
import { SCREENS } from '../../screen/screens.ts'
import { showAddress, showCount, showPassing, showSum } from '../pages/figures-text.ts'
import { toShownName } from '../pages/merchant-name.ts'
import { renderShareBar, shareOfUsd } from '../pages/share-bar.ts'
import type { RankedMerchant, RankingPage } from './ranking.ts'
import { type RankingPlace, toRankingHref } from './ranking-href.ts'
import { naturalDirection, type Sort } from './ranking-order.ts'

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

export type RankingTable = RankingPlace & { readonly page: RankingPage }

/** Merchants with reported and real figures; a column title sorts, a second click reverses. */
export function renderRankingTable(view: RankingTable, title: string): Markup {
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
  if (isOperatorKey(merchant.address)) return { title: merchant.name, rest: 'several wallets' }
  const address = showAddress(merchant.address)
  const { name, unconfirmed } = toShownName(merchant)
  if (name !== null) return { title: name, rest: html`<span class="mono">${address}</span>` }
  return {
    title: address,
    rest: unconfirmed === null ? 'not listed anywhere' : `${unconfirmed} (unconfirmed)`,
  }
}
