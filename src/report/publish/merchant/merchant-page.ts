import { html } from 'hono/html'
import type { Markup } from '../../../catalogue/documents/site-page.ts'
import type { MerchantReport } from '../../build/merchant-report.ts'
import { toSpan } from '../../build/window.ts'
import type { Claim } from '../../claims/stored-claims.ts'
import { renderOwnWords } from '../claims/own-words-section.ts'
import type { ScreenText } from '../documents/method.ts'
import { showAddress, showCount } from '../pages/figures-text.ts'
import { renderPage } from '../pages/layout.ts'
import { toShownName, withoutName } from '../pages/merchant-name.ts'
import type { MerchantWeek } from './merchant-history.ts'
import { renderBadges } from './sections/badges.ts'
import { renderDays } from './sections/days.ts'
import { renderEvidence } from './sections/evidence.ts'
import { renderFlags } from './sections/flags.ts'
import { renderHistory } from './sections/history.ts'
import { renderInferredRevenue } from './sections/inferred-revenue.ts'
import { renderListings } from './sections/listings.ts'
import { renderPrices } from './sections/prices.ts'
import { renderRevision, type ShownRevision, toShownQuery } from './sections/revision.ts'
import { renderTotals } from './sections/totals.ts'
import { renderWallets, type WalletsSection } from './sections/wallets.ts'

export type MerchantPage = ShownRevision &
  Pick<WalletsSection, 'operator'> & {
    readonly report: MerchantReport & WalletsSection['report']
    readonly isNameConfirmed: boolean
    readonly screens: readonly ScreenText[]
    /** The merchant's current claim; null when there is none. */
    readonly claim: Claim | null
    /** Lengths of the newest windows that have a report of this merchant, days. */
    readonly windows: readonly number[]
    /** Published weeks of this merchant, newest first. */
    readonly weeks: readonly MerchantWeek[]
    /** Version of the method by which this window was computed. */
    readonly method: string
    /** Public RPC node of the chain. */
    readonly rpcUrl: string
    /** Whether the chain is a local one, whose tokens have no value. */
    readonly isDemo: boolean
  }

/** The page of a merchant: its report for people, complete without script. */
export function renderMerchantPage(view: MerchantPage): Promise<string> {
  const { week, isNameConfirmed } = view
  const { address, name } = view.report
  const { unconfirmed } = toShownName({ address, name, name_confirmed: isNameConfirmed })
  const report = unconfirmed === null ? view.report : withoutName(view.report)
  const query = toShownQuery(view)
  const path = new URL(report.page).pathname
  const shown = report.name === address ? showAddress(address) : report.name
  return renderPage({
    title: `${shown}: x402 payments in the ${toSpan(report.window.days)} to ${report.last_seen_week}`,
    description: report.claim,
    canonical: report.page + query,
    image: { url: `${report.page}/preview.png${query}`, alt: report.claim },
    isDemo: view.isDemo,
    feed: { title: `Weeks of ${shown}`, path: `${path}/feed.atom` },
    main: html`<article>
<h1>${shown}</h1>
<p class="mono muted">${address}${name === address ? html`<span class="rest">No discovery source lists an endpoint that pays this wallet.</span>` : ''}</p>
${renderUnconfirmed(unconfirmed)}${renderWindows(path, view)}${chips(view)}${renderRevision(path, view)}
<p class="lead claim">${report.claim}</p>
<p class="note">x402 lets a program pay for a single web request in digital dollars. Each such payment is public on Base, a blockchain. Rules called screens look for patterns of repeated traffic and of merchants paying themselves. Payments that match a screen are flagged and do not count as real. <a href="https://www.x402.org/">About x402</a> · <a href="/methodology">How payments are counted and screened</a></p>
${renderTotals(report)}
${renderDays(report)}
${renderFlags(report, view.screens)}
${view.report.wallets ? '' : renderOwnWords(report.address, view.claim)}
${renderPrices(report)}
${renderWallets(view, query)}${renderListings(report)}
${renderInferredRevenue(report)}${renderHistory({ path, weeks: view.weeks, shown: week })}
<form class="panel fields" action="/compare"><label for="compare">Compare with <small>up to four more addresses, separated by commas</small></label><input id="compare" name="merchants" class="mono" spellcheck="false" value="${address}, "><p><button>Compare</button></p></form>
${renderEvidence({ report, query, method: view.method, rpcUrl: view.rpcUrl })}
${renderBadges(report)}
</article>`,
  })
}

/** One payment to a wallet is enough to get it into a catalogue. */
function renderUnconfirmed(name: string | null): Markup | string {
  if (name === null) return ''
  return html`<p class="note mark">A catalogue lists endpoints of <strong>${name}</strong> that pay this wallet. The name is not confirmed: the wallet has not claimed this report, and no second catalogue lists the same host.</p>
`
}

function renderWindows(path: string, { windows, week, days: shown }: MerchantPage): Markup | string {
  if (windows.length < 2) return ''
  const tabs = windows.map(
    (days) =>
      html`<li><a href="${path}${days === 7 ? '' : `?days=${days}`}" ${week === undefined && days === shown ? html`aria-current="page"` : ''}>Newest ${toSpan(days)}</a></li>`,
  )
  return html`<nav class="weeks" aria-label="Window"><ul class="tabs">${tabs}</ul></nav>
`
}

function chips({ report, week, isDemo }: MerchantPage): Markup {
  const { rank_by_real_revenue: rank, window } = report
  const list = [
    rank === null ? null : html`<li>Rank ${showCount(rank)} by real revenue</li>`,
    week === undefined ? null : html`<li>Week to ${week}, published</li>`,
    report.claimed ? html`<li>Claimed by its wallet</li>` : null,
    report.frozen
      ? html`<li class="mark">No payment since ${report.last_seen_week}: this is the last report</li>`
      : null,
    window.complete
      ? null
      : html`<li class="mark">This window is not complete yet: figures may still rise</li>`,
    html`<li>${isDemo ? 'Local test chain, test USDC' : 'Base, USDC'}</li>`,
  ]
  return html`<ul class="chips">${list.filter((chip) => chip !== null)}</ul>`
}
