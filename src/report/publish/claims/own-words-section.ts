import { html } from 'hono/html'
import type { Claim } from '../../claims/stored-claims.ts'
import { showTime } from '../pages/figures-text.ts'
import type { Markup } from '../pages/layout.ts'

/** What a merchant replies on its page, and how one becomes one that can. @param claim the claim that stands. */
export function renderOwnWords(address: string, claim: Claim | null): Markup {
  const ask = html`<p><a href="/claims?address=${address}">Is this your wallet?</a> Its signature claims this report and lets you reply here. Who cannot sign can <a href="/claims?address=${address}#dispute">dispute it</a>.</p>`
  if (!claim) return html`<section aria-label="Reply">${ask}</section>`
  const { statement, disclosures } = claim
  const wallets = disclosures.map((wallet) => html`<li class="mono">${wallet}</li>`)
  return html`<section aria-labelledby="own-words"><h2 id="own-words">In the merchant’s own words</h2>
${statement === null ? html`<p>The merchant has claimed this report and published no statement.</p>` : html`<blockquote class="panel" dir="auto">${statement}</blockquote>`}
${wallets.length === 0 ? '' : html`<details><summary>Further wallets that the merchant says are its own</summary><p>What they pay counts as the merchant paying itself.</p><ul>${wallets}</ul></details>`}
<p class="muted">Signed by the wallet, ${showTime(claim.madeAt.toISOString())}. Nobody has checked what it says. <a href="/merchants/base/${address}/claim.json">Signature and signed text</a></p>
${ask}</section>`
}
