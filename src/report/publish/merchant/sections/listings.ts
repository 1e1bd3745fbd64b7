import { html } from 'hono/html'
import type { MerchantReport } from '../../../build/merchant-report.ts'
import { showCount, showPrice } from '../../pages/figures-text.ts'
import type { Markup } from '../../pages/layout.ts'

/** Longer lists make the page slow; the JSON has all. */
const MAX_LISTINGS = 200

/** The endpoints that pay this wallet, cheapest first. Their text is foreign, in any script; it changes the direction of no other. */
export function renderListings({ bazaar_listings: all }: MerchantReport): Markup {
  if (all.length === 0) {
    return html`<section aria-labelledby="listings"><h2 id="listings">Paid endpoints</h2><p>No discovery source lists an endpoint that pays this wallet.</p></section>`
  }
  const rows = all
    .slice(0, MAX_LISTINGS)
    .map(
      (listing) =>
        html`<tr><td class="num" data-label="A call">${listing.price_usd === 0 ? 'free' : showPrice(listing.price_usd)}</td><th scope="row" class="wide mono">${listing.resource}</th><td class="wide" dir="auto">${listing.description}</td></tr>`,
    )
  const rest =
    all.length > MAX_LISTINGS
      ? html`<p>These are ${MAX_LISTINGS}; the JSON report has all ${showCount(all.length)}.</p>`
      : ''
  return html`<section aria-labelledby="listings"><h2 id="listings">Paid endpoints</h2>
<table class="stack listings"><caption>As discovery sources list them; the chain does not show which endpoint a payment was for.</caption><thead><tr><th scope="col" class="num">A call</th><th scope="col" class="plain">Endpoint</th><th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table>${rest}</section>`
}
