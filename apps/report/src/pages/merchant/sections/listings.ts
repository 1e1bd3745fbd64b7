import type { Markup } from '@tollbook/endpoints/documents/site-page'
import type { ListingRecord, MerchantReport } from '@tollbook/verify/build/merchant-report'
import { HEALTH } from '@tollbook/verify/listings/health'
import { html } from 'hono/html'
import { isUnhealthy } from '../../../listings/endpoint-health.ts'
import { showCount, showPrice } from '../../figures-text.ts'

/** Longer lists make the page slow; the JSON has all listings. */
const MAX_LISTINGS = 200

/** The endpoints that pay this wallet, cheapest first; their untrusted text has its own direction. */
export function renderListings({ bazaar_listings: all }: MerchantReport): Markup {
  if (all.length === 0) {
    return html`<section aria-labelledby="listings"><h2 id="listings">Paid endpoints</h2><p>No discovery source lists an endpoint that pays this wallet.</p></section>`
  }
  const rows = all
    .slice(0, MAX_LISTINGS)
    .map(
      (listing) =>
        html`<tr><td class="num" data-label="Per call">${listing.price_usd === 0 ? 'free' : showPrice(listing.price_usd)}</td><th scope="row" class="wide mono">${listing.resource}</th><td class="wide"><span dir="auto">${listing.description}</span>${renderHealth(listing)}</td></tr>`,
    )
  const rest =
    all.length > MAX_LISTINGS
      ? html`<p>The first ${MAX_LISTINGS} are shown; the JSON report has all ${showCount(all.length)}.</p>`
      : ''
  return html`<section aria-labelledby="listings"><h2 id="listings">Paid endpoints</h2>
<table class="stack listings"><caption>As listed by discovery sources. The chain does not show which endpoint a payment was for.</caption><thead><tr><th scope="col" class="num">Per call</th><th scope="col" class="plain">Endpoint</th><th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table>${rest}</section>`
}

function renderHealth({ health }: ListingRecord): Markup | string {
  if (!health) return ''
  const text = `${HEALTH[health.state]} since ${health.since.slice(0, 10)}`
  return html`<span class="rest">${isUnhealthy(health.state) ? html`<strong>${text}</strong>` : text}</span>`
}
