import type { Markup } from '@tollbook/endpoints/documents/site-page'
import type { MerchantReport, PaidAmounts } from '@tollbook/verify/build/merchant-report'
import { html } from 'hono/html'
import { round } from '../../chart.ts'
import { showCount, showPrice } from '../../figures-text.ts'

/** What a payment costs: the quartiles of the paid amounts next to the listed prices. */
export function renderPrices(report: MerchantReport): Markup {
  const { p25, median, p75, median_passing } = report.paid
  const listed = report.bazaar_listings.map(({ price_usd }) => price_usd)
  const note = report.exchange_flow_note
  const passing =
    report.real_tx === 0
      ? 'No payment passes every screen.'
      : html`Among payments that pass every screen, the median is <strong>${showPrice(median_passing)}</strong>.`
  const rows: readonly (readonly [string, string])[] = [
    ['First quartile of all payments', showPrice(p25)],
    ['Median of all payments', showPrice(median)],
    ['Third quartile of all payments', showPrice(p75)],
    ['Median of the passing payments', report.real_tx === 0 ? '–' : showPrice(median_passing)],
    ['Listed prices', showRange(listed)],
  ]
  return html`<section aria-labelledby="paid"><h2 id="paid">What a payment costs</h2>
<p>The median payment is <strong>${showPrice(median)}</strong>; a quarter of all payments are at most ${showPrice(p25)}, and a quarter at least ${showPrice(p75)}. ${passing}</p>
<figure class="panel"><figcaption><span class="key">Middle half of all payments</span><span class="key line">Median</span><span class="key dot passing">Median of passing payments</span>${listed.length === 0 ? '' : html`<span class="key mark">Listed price</span>`}</figcaption>
${renderPriceChart(report.paid, listed)}
<details><summary>The same as a table</summary><table><thead><tr><th scope="col">Figure</th><th scope="col" class="num">Dollars</th></tr></thead><tbody>${rows.map(([label, value]) => html`<tr><th scope="row">${label}</th><td class="num">${value}</td></tr>`)}</tbody></table></details>
</figure>
${note ? html`<p class="note">${note}</p>` : ''}</section>`
}

function showRange(prices: readonly number[]): string {
  if (prices.length === 0) return 'none'
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const range = low === high ? showPrice(low) : `${showPrice(low)} to ${showPrice(high)}`
  return `${range} (${showCount(prices.length)} endpoints)`
}

// Units of the drawing; the page scales it to its column.
const WIDTH = 560
const HEIGHT = 118
const LEFT = 62
const RIGHT = 14
const BASELINE = 88
const LISTED_Y = 24
const PAID_Y = 62
const BAND_HEIGHT = 26
/** If all prices are equal, the axis still spans this factor from end to end. */
const MIN_SPAN = 8
/** Beyond this many decades only powers of ten are labelled. */
const MAX_DECADES_IN_STEPS = 2.1

/**
 * Draws paid amounts below listed prices, on a logarithmic axis of dollars: a band for the middle half, a
 * line at the median, a dot at the median of passing payments. Empty when nothing was paid.
 */
function renderPriceChart(paid: PaidAmounts, listed: readonly number[]): Markup {
  const prices = [...new Set(listed.filter((price) => price > 0))]
  const amounts = [paid.p25, paid.median, paid.p75, paid.median_passing].filter((amount) => amount > 0)
  if (amounts.length === 0) return html``
  const scale = createScale([...amounts, ...prices])
  const ticks = scale.ticks.map(
    (usd) =>
      html`<line class="grid" x1="${scale.x(usd)}" x2="${scale.x(usd)}" y1="8" y2="${BASELINE}" stroke="#ccc"/><text x="${scale.x(usd)}" y="${HEIGHT - 6}" text-anchor="middle">${showTick(usd)}</text>`,
  )
  const bandTop = PAID_Y - BAND_HEIGHT / 2
  const left = scale.x(paid.p25)
  const marks = prices.map((price) => html`<path class="listed" d="${toMark(scale.x(price))}"/>`)
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Paid amounts below listed prices, in dollars per call">
${ticks}
${prices.length === 0 ? '' : html`<text x="${LEFT - 10}" y="${LISTED_Y + 5}" text-anchor="end">listed</text>${marks}`}
<text x="${LEFT - 10}" y="${PAID_Y + 5}" text-anchor="end">paid</text>
<rect class="reported" x="${left}" y="${bandTop}" width="${round(Math.max(scale.x(paid.p75) - left, 4))}" height="${BAND_HEIGHT}" fill="#bbb"/>
<rect class="median" x="${round(scale.x(paid.median) - 1.5)}" y="${bandTop - 5}" width="3" height="${BAND_HEIGHT + 10}"/>
${paid.median_passing > 0 ? html`<circle class="passing dot" cx="${scale.x(paid.median_passing)}" cy="${PAID_Y}" r="7"/>` : ''}
</svg>`
}

/** A small arrowhead that points down at its price. */
function toMark(x: number): string {
  return `M${round(x - 6)} ${LISTED_Y - 6}h12l-6 12z`
}

function createScale(values: readonly number[]) {
  let low = Math.min(...values) / 1.25
  let high = Math.max(...values) * 1.25
  if (high / low < MIN_SPAN) {
    const middle = Math.sqrt(low * high)
    low = middle / Math.sqrt(MIN_SPAN)
    high = middle * Math.sqrt(MIN_SPAN)
  }
  const decades = Math.log10(high / low)
  const steps = decades <= MAX_DECADES_IN_STEPS ? [1, 2, 5] : [1]
  const ticks: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    ticks.push(...steps.map((step) => step * 10 ** power).filter((usd) => usd >= low && usd <= high))
  }
  const x = (usd: number) => round(LEFT + ((WIDTH - LEFT - RIGHT) * Math.log10(usd / low)) / decades)
  return { x, ticks }
}

/** Powers of ten are exact only when parsed from text: 0.001 and not 0.0010000000000000002. */
function showTick(usd: number): string {
  return showPrice(Number(usd.toPrecision(1))).replace(/\.00$/, '')
}
