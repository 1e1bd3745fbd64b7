import { formatUsd } from '@tollbook/chain/usdc'
import type { Markup } from '@tollbook/endpoints/documents/site-page'
import type { FlagRecord, InferredRevenue, MerchantReport } from '@tollbook/verify/build/merchant-report'
import { toSpan } from '@tollbook/verify/build/window'
import { toGroupHost } from '@tollbook/verify/published/group-key'
import { html } from 'hono/html'
import type { Claim } from '../../claims/stored-claims.ts'
import type { MerchantWeek } from '../../served/merchant-history.ts'
import type { ScreenText } from '../../served/method.ts'
import { renderChart } from '../chart.ts'
import { renderFigureCard } from '../figure-card.ts'
import { showAddress, showCount, showDollars, showPrice, showShare, showTime } from '../figures-text.ts'
import { renderPage } from '../layout.ts'
import { toShownName, withoutName } from '../merchant-name.ts'
import { renderMoneyPanel } from '../money-panel.ts'
import { shareOf } from '../share-bar.ts'
import { BADGE_METRICS, BADGE_STYLES } from './badge.ts'
import { renderEvidence } from './sections/evidence.ts'
import { renderHistory } from './sections/history.ts'
import { renderListings } from './sections/listings.ts'
import { renderPrices } from './sections/prices.ts'
import { renderRevision, type ShownRevision, toShownQuery } from './sections/revision.ts'

export type MerchantPage = ShownRevision &
  Pick<WalletsSection, 'group'> & {
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
<form class="panel fields" action="/compare"><label for="compare">Compare with <small>up to four more addresses, separated by commas</small></label><input id="compare" name="merchants" class="mono" required spellcheck="false" value="${address}, "><p><button>Compare</button></p></form>
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

/** The three totals, each real figure next to the reported one, and the share of the largest buyer. */
function renderTotals(report: MerchantReport): Markup {
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

/** What each screen flagged, what the screen looks for, and what else can match it. */
function renderFlags(report: MerchantReport, screens: readonly ScreenText[]): Markup {
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

/** Longer lists make the page slow; the JSON has all endpoints. */
const MAX_ENDPOINTS = 50

/** What endpoints with a price of their own probably earned, most real dollars first, and the rest. */
function renderInferredRevenue({ inferred_revenue: inferred }: MerchantReport): Markup | string {
  if (!inferred) return ''
  const byRevenue = inferred.endpoints.toSorted((a, b) => b.real_usd - a.real_usd || b.usd - a.usd)
  const rows = byRevenue
    .slice(0, MAX_ENDPOINTS)
    .map((each) =>
      renderRow(html`<span class="mono">${each.resource}</span>`, showPrice(each.price_usd), each),
    )
  const more = byRevenue.length - rows.length
  return html`<section aria-labelledby="inferred"><h2 id="inferred">Revenue by endpoint, inferred</h2>
<p class="note mark">Inferred from prices, not recorded on the chain. Payments of exactly a fixed price that only one listed endpoint has are counted for it here. The last line is everything else, so that each column adds up to the total.</p>
<table class="stack"><thead><tr><th scope="col" class="plain">Endpoint</th><th scope="col" class="num">Per call</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Reported</th><th scope="col" class="num">Real</th></tr></thead><tbody>${rows}
${renderRow('Not attributed to an endpoint', '–', inferred.unattributed)}</tbody></table>${more > 0 ? html`<p>${showCount(more)} more endpoints are in the JSON report.</p>` : ''}</section>
`
}

function renderRow(endpoint: Markup | string, price: string, sums: InferredRevenue['unattributed']): Markup {
  return html`<tr><th scope="row" class="wide">${endpoint}</th><td class="num" data-label="Per call">${price}</td><td class="num" data-label="Payments">${showCount(sums.tx)}</td><td class="num" data-label="Reported">${showDollars(sums.usd)}</td><td class="num" data-label="Real">${showDollars(sums.real_usd)}</td></tr>`
}

/** Reported and passing dollars of each day, as a chart and as a table. */
function renderDays(report: MerchantReport): Markup {
  const rows = report.daily.map(
    (day) =>
      html`<tr><th scope="row">${day.date}</th><td class="num">${showCount(day.tx)}</td><td class="num">${showDollars(day.real_usd)}</td><td class="num">${showDollars(day.usd)}</td></tr>`,
  )
  return html`<section aria-labelledby="days"><h2 id="days">Day by day</h2>
<figure class="panel"><figcaption><span class="key">Reported</span><span class="key passing">Passing every screen</span><span>Days are UTC; the first and the last are partial.</span></figcaption>
${report.daily.some((day) => day.usd > 0) ? renderChart(report.daily, report.window) : html`<p>The revenue of each day is below one cent, too little for a chart. The table shows the number of payments; the prices section below shows exact amounts.</p>`}
<details><summary>The same as a table</summary><table><thead><tr><th scope="col">Day</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Passing</th><th scope="col" class="num">Reported</th></tr></thead><tbody>${rows}</tbody></table></details>
</figure></section>`
}

type WalletsSection = {
  readonly report: { readonly wallets?: readonly string[] | undefined }
  /** The key of the merchant group of this wallet; null for none. */
  readonly group: string | null
}

/** The wallets of a merchant group, or a link from one of them to it. @param query as in the evidence section. */
function renderWallets({ report, group }: WalletsSection, query: string): Markup | string {
  const toLink = (key: string, text: string) => html`<a href="/merchants/base/${key}${query}">${text}</a>`
  if (group !== null)
    return html`<p class="note">This is one of several wallets of ${toLink(group, toGroupHost(group))}, which also has a report of all of them as one.</p>
`
  if (!report.wallets) return ''
  const items = report.wallets.map((wallet) => html`<li class="mono">${toLink(wallet, wallet)}</li>`)
  return html`<section aria-labelledby="wallets"><h2 id="wallets">Wallets</h2>
<p>This report counts these wallets as one merchant, as its listings and claims prove. A payment between them is flagged as self_pay. Each wallet also has a report of its own, with its payments.</p>
<ul class="links">${items}</ul></section>
`
}

/** The badge as it appears on other sites, and the text that embeds it. */
function renderBadges({ badge: url, page, name }: MerchantReport): Markup {
  const path = new URL(url).pathname
  const alt = `x402 payments of ${name}`
  const snippets = [
    // Square brackets would end the link text early.
    ['Markdown', `[![${alt.replaceAll(/[[\]\\]/g, '\\$&')}](${url})](${page})`],
    ['HTML', `<a href="${page}"><img src="${url}" alt="${alt}" height="20"></a>`],
    ['Image URL', url],
  ]
  const picture = (query: string, description: string) =>
    html`<li><img src="${path}?${query}" alt="${description}" loading="lazy"><code>?${query}</code></li>`
  return html`<section aria-labelledby="badge"><h2 id="badge">Badge</h2>
<p>For a README or a website. The badge is updated with every publication; its colour does not depend on the figure.</p>
<p><img src="${path}" alt="${alt}" height="20"></p>
${snippets.map(([label, text]) => html`<label class="snippet"><span>${label}</span><textarea readonly rows="2" spellcheck="false">${text}</textarea></label>`)}
<details><summary>Other figures and styles</summary>
<p>You can combine both: <code>?metric=rank&amp;style=flat-square</code>. For <a href="https://shields.io/badges/endpoint-badge">shields.io</a>, use <a href="${page}/badge.json">badge.json</a>.</p>
<ul class="badges">${BADGE_METRICS.map((metric) => picture(`metric=${metric}`, `Badge with the figure ${metric}`))}${BADGE_STYLES.map((style) => picture(`style=${style}`, `Badge in the style ${style}`))}</ul></details></section>`
}

/** The merchant's published statement, and how to claim the report. @param claim the current claim */
function renderOwnWords(address: string, claim: Claim | null): Markup {
  const ask = html`<p><a href="/claims?address=${address}">Is this your wallet?</a> Sign a text with it to claim this report and publish a statement here. If you cannot sign, you can <a href="/claims?address=${address}#dispute">dispute the report</a>.</p>`
  if (!claim) return html`<section aria-label="Reply">${ask}</section>`
  const { statement, disclosures, maxPrice } = claim
  const wallets = disclosures.map((wallet) => html`<li class="mono">${wallet}</li>`)
  return html`<section aria-labelledby="own-words"><h2 id="own-words">In the merchant’s own words</h2>
${statement === null ? html`<p>The merchant claimed this report but published no statement.</p>` : html`<blockquote class="panel" dir="auto">${statement}</blockquote>`}
${wallets.length === 0 ? '' : html`<details><summary>Other wallets that the merchant declares as its own</summary><p>Their payments count as the merchant paying itself.</p><ul>${wallets}</ul></details>`}
${maxPrice === null ? '' : html`<p>The merchant states that it charges up to $${formatUsd(maxPrice)} for one payment.</p>`}
<p class="muted">Signed by the wallet, ${showTime(claim.madeAt.toISOString())}. Nobody has checked what it states. <a href="/merchants/base/${address}/claim.json">Signature and signed text</a></p>
${ask}</section>`
}
