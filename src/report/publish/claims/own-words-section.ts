import { html } from 'hono/html'
import type { Markup } from '../../../catalogue/documents/site-page.ts'
import { formatUsd } from '../../../money/usdc.ts'
import type { Claim } from '../../claims/stored-claims.ts'
import { showTime } from '../pages/figures-text.ts'

/** The merchant's published statement, and how to claim the report. @param claim the current claim */
export function renderOwnWords(address: string, claim: Claim | null): Markup {
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
