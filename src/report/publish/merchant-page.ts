import { html } from 'hono/html'
import type { FlagRecord, MerchantReport } from '../build/merchant-report.ts'
import { renderChart } from './chart.ts'
import { showAddress, showCount, showDollars, showPrice, showShare, showTime } from './figures-text.ts'
import { type Markup, renderPage } from './layout.ts'
import type { ScreenText } from './method.ts'

/** Longer lists make the page slow; the JSON has all. */
const MOST_LISTINGS = 200

export type MerchantPage = {
  readonly report: MerchantReport
  readonly screens: readonly ScreenText[]
  /** The published week that is shown, such as `2026-11-15`; absent for the newest window. */
  readonly week?: string | undefined
}

/** The page of a merchant: its report for people, whole without any script. */
export function renderMerchantPage({ report, screens, week }: MerchantPage): Promise<string> {
  const query = week === undefined ? '' : `?week=${week}`
  const shown = report.name === report.address ? showAddress(report.address) : report.name
  return renderPage({
    title: `${shown}: x402 payments in the 7 days to ${report.last_seen_week}`,
    description: report.claim,
    canonical: report.page + query,
    main: html`<article>
<h1>${shown}</h1>
<p class="mono muted">${report.address}</p>
${chips(report)}
<p class="lead">${report.claim}</p>
${totals(report)}
${days(report)}
${flags(report, screens)}
${prices(report)}
${listings(report)}
${evidence(report, query)}
${badge(report)}
</article>`,
  })
}

function chips(report: MerchantReport): Markup {
  const { rank_by_real_revenue: rank, window } = report
  const list = [
    rank === null ? null : html`<li>Rank ${rank} by real revenue</li>`,
    report.claimed ? html`<li>Claimed by its wallet</li>` : null,
    report.frozen
      ? html`<li class="mark">No payment since ${report.last_seen_week}: the last report stands</li>`
      : null,
    window.complete ? null : html`<li class="mark">This window is not complete yet</li>`,
    html`<li>Base, USDC</li>`,
  ]
  return html`<ul class="chips">${list.filter((chip) => chip !== null)}</ul>`
}

function totals(report: MerchantReport): Markup {
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
  const card = (label: string, value: string, of: string) =>
    html`<li><span class="label">${label}</span><span class="value">${value}</span><span class="of">${of}</span></li>`
  const { usd, real_usd, tx, real_tx, buyers, real_buyers } = report
  return html`<ul class="cards" aria-label="Totals that pass every screen, beside what was reported">
${card('Passing every screen', showDollars(real_usd), `of ${showDollars(usd)} reported (${showShare(share(real_usd, usd))})`)}
${card('Passing payments', showCount(real_tx), `of ${showCount(tx)} reported (${showShare(share(real_tx, tx))})`)}
${card('Buyer wallets that pass', showCount(real_buyers), `of ${showCount(buyers)} reported (${showShare(share(real_buyers, buyers))})`)}
${card('Largest buyer', showShare(report.top_buyer_share), 'of all reported dollars')}
</ul>`
}

function days(report: MerchantReport): Markup {
  const rows = report.daily.map(
    (day) =>
      html`<tr><th scope="row">${day.date}</th><td class="num">${showCount(day.tx)}</td><td class="num">${showDollars(day.usd)}</td><td class="num">${showDollars(day.real_usd)}</td></tr>`,
  )
  return html`<section aria-labelledby="days"><h2 id="days">Day by day</h2>
<figure class="panel"><figcaption><span class="key">Reported</span><span class="key passing">Passing every screen</span><span>Days are UTC; the first and the last are partial.</span></figcaption>
${renderChart(report.daily, report.window)}
<details><summary>The same as a table</summary><table><thead><tr><th scope="col">Day</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Reported</th><th scope="col" class="num">Passing</th></tr></thead><tbody>${rows}</tbody></table></details>
</figure></section>`
}

function flags(report: MerchantReport, screens: readonly ScreenText[]): Markup {
  const found = Object.entries(report.flags)
  if (found.length === 0) {
    return html`<section aria-labelledby="flags"><h2 id="flags">Flags</h2><p>No screen flagged a payment: the real totals are the reported ones.</p></section>`
  }
  const rows = found.map(([kind, record]: [string, FlagRecord]) => {
    const screen = screens.find((each) => each.kind === kind)
    return html`<tr><th scope="row" class="wide">${screen?.title ?? kind}<span class="rest mono">${kind}</span></th><td class="wide">${screen?.rule ?? ''}</td><td class="num" data-label="Payments">${showCount(record.tx)}</td><td class="num" data-label="Amount">${showDollars(record.usd)}</td></tr>`
  })
  return html`<section aria-labelledby="flags"><h2 id="flags">Flags</h2>
<p>${report.flag_note} <a href="/methodology">How screens work</a></p>
<table class="stack"><thead><tr><th scope="col">Screen</th><th scope="col">What it flags</th><th scope="col" class="num">Payments</th><th scope="col" class="num">Amount</th></tr></thead><tbody>${rows}</tbody></table>
</section>`
}

function prices(report: MerchantReport): Markup {
  const { p25, median, p75, median_passing } = report.paid
  const note = report.exchange_flow_note
  return html`<section aria-labelledby="paid"><h2 id="paid">What a payment costs</h2>
<p>The median payment is <strong>${showPrice(median)}</strong>; a quarter of all payments are at most ${showPrice(p25)}, and a quarter at least ${showPrice(p75)}. ${
    report.real_tx === 0
      ? 'No payment passes every screen.'
      : html`Among payments that pass every screen the median is <strong>${showPrice(median_passing)}</strong>.`
  }</p>
${note ? html`<p>${note}</p>` : ''}</section>`
}

function listings({ bazaar_listings: all }: MerchantReport): Markup {
  if (all.length === 0) {
    return html`<section aria-labelledby="listings"><h2 id="listings">Paid endpoints</h2><p>No discovery source lists an endpoint that pays this wallet.</p></section>`
  }
  const rows = all
    .slice(0, MOST_LISTINGS)
    .map(
      (listing) =>
        html`<tr><td class="num" data-label="A call">${showPrice(listing.price_usd)}</td><th scope="row" class="wide mono">${listing.resource}</th><td class="wide">${listing.description}</td></tr>`,
    )
  const rest =
    all.length > MOST_LISTINGS ? html`<p>The JSON report has all ${showCount(all.length)}.</p>` : ''
  return html`<section aria-labelledby="listings"><h2 id="listings">Paid endpoints</h2>
<table class="stack listings"><caption>As the merchant lists them; the chain does not tell which endpoint a payment was for.</caption><thead><tr><th scope="col" class="num">A call</th><th scope="col">Endpoint</th><th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table>${rest}</section>`
}

function evidence({ page, window, generated_at, license }: MerchantReport, query: string): Markup {
  return html`<section aria-labelledby="evidence"><h2 id="evidence">Evidence</h2>
<p>Every payment of the window with its transaction, verdict and flag, so that you can add up each figure yourself.</p>
<ul class="links"><li><a href="${page}/payments.csv${query}" download>payments.csv</a></li><li><a href="${page}/payments.ndjson${query}" download>payments.ndjson</a></li><li><a href="${page}.json${query}">This report as JSON</a></li><li><a href="/schema/merchant-report-1.json">Its schema</a></li></ul>
<dl><dt>Window</dt><dd>${showTime(window.start)} to ${showTime(window.end)}</dd><dt>Blocks</dt><dd>${showCount(window.start_block)} up to, not including, ${showCount(window.end_block)}</dd><dt>Generated</dt><dd>${showTime(generated_at)}</dd><dt>Licence</dt><dd><a href="${license}" rel="license">CC BY 4.0</a></dd></dl></section>`
}

function badge({ badge: url, page, name }: MerchantReport): Markup {
  // Square brackets would end the text of the link early.
  const alt = `x402 payments of ${name.replaceAll(/[[\]\\]/g, '\\$&')}`
  const markdown = `[![${alt}](${url})](${page})`
  const markup = `<a href="${page}"><img src="${url}" alt="x402 payments of ${name}"></a>`
  return html`<section aria-labelledby="badge"><h2 id="badge">Badge</h2>
<p><img src="${new URL(url).pathname}" alt="${`x402 payments of ${name}`}" height="20"></p>
<p>Markdown</p><pre tabindex="0">${markdown}</pre><p>HTML</p><pre tabindex="0">${markup}</pre></section>`
}
