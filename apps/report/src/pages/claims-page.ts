import type { Address } from '@tollbook/chain/hex'
import { formatUsd } from '@tollbook/chain/usdc'
import type { Markup } from '@tollbook/endpoints/documents/site-page'
import { html } from 'hono/html'
import { type Challenge, renderChallengeText } from '../claims/challenge-text.ts'
import { MAX_CONTACT_CHARACTERS, MAX_DISPUTE_CHARACTERS } from '../claims/disputes.ts'
import { MAX_STATEMENT_CHARACTERS } from '../claims/own-words.ts'
import type { Claim } from '../claims/stored-claims.ts'
import { showTime } from './figures-text.ts'
import { renderPage } from './layout.ts'

const TITLE = 'Claim a report, or dispute one'

/** The forms, filled with what the wallet has published, because a new claim replaces the previous one. */
export function renderClaimsPage(
  baseUrl: string,
  { address, claim }: { readonly address: Address | null; readonly claim: Claim | null },
): Promise<string> {
  return renderPage({
    title: TITLE,
    description: 'Prove that a wallet is yours, publish a statement, or write to the operator.',
    canonical: `${baseUrl}/claims`,
    main: html`<h1>${TITLE}</h1>
<p class="lead">If you sign a text with the merchant’s wallet, you can publish a statement on its page and disclose your other wallets. If you cannot sign, you can write to the operator. Both are free, and no transaction is sent.</p>
${claimForm(address, claim)}
${disputeForm(address)}`,
  })
}

export function renderSignPage(challenge: Challenge, baseUrl: string): Promise<string> {
  return renderPage({
    title: 'Sign this text',
    description: 'The text whose signature proves that a wallet is yours.',
    main: html`<h1>Sign this text</h1>
<p class="lead">Sign it with <span class="mono">${challenge.address}</span> as a personal message, before ${showTime(challenge.expiresAt.toISOString())}. Signing this text transfers no money.</p>
<pre tabindex="0">${renderChallengeText(challenge, baseUrl)}</pre>
<p>Any wallet that can sign messages works. With Foundry, save the text as claim.txt and run:</p>
<pre tabindex="0">cast wallet sign --interactive "$(cat claim.txt)"</pre>
<form class="panel fields" method="post" action="/claims"><input type="hidden" name="nonce" value="${challenge.nonce}">
<label for="signature">Signature</label><textarea id="signature" name="signature" rows="4" class="mono" required autocomplete="off" spellcheck="false"></textarea>
<p><button>Send</button></p></form>`,
  })
}

export function renderAcceptedPage({ address, action, madeAt }: Claim): Promise<string> {
  const page = `/merchants/base/${address}`
  const title = action === 'claim' ? 'The report is claimed' : 'The claim is withdrawn'
  return renderPage({
    title,
    description: title,
    main: html`<h1>${title}</h1>
<p class="lead">Signed by <span class="mono">${address}</span>, accepted ${showTime(madeAt.toISOString())}. The merchant’s page shows the change immediately, or after the first payment if there is none yet. Figures change with the next publication. Published weeks do not change.</p>
<ul class="links"><li><a href="${page}">The merchant’s page</a></li><li><a href="${page}/claim.json">The public record of the claim</a></li></ul>`,
  })
}

export function renderFiledPage(id: string): Promise<string> {
  return renderPage({
    title: 'Your note was sent to the operator',
    description: 'Your note was sent to the operator.',
    main: html`<h1>Your note was sent to the operator</h1>
<p class="lead">Its number is <code>${id}</code>. A note does not change any figure by itself. The note and your contact details are not published.</p>
<p><a href="/">All merchants</a></p>`,
  })
}

function claimForm(address: Address | null, claim: Claim | null): Markup {
  const isStanding = claim?.action === 'claim'
  const hasNothing = address !== null && !isStanding
  return html`<section aria-labelledby="claim"><h2 id="claim">Is this your wallet?</h2>
<p>The next page shows a text to sign that contains everything you publish. It replaces what you published before${isStanding ? ', which the fields show' : ''}.</p>
<form class="panel fields" method="post" action="/claims/challenge">
${addressField('claim-address', 'Wallet that receives the payments', address)}
<label for="statement">Statement <small>optional; plain text, at most ${MAX_STATEMENT_CHARACTERS} characters</small></label><textarea id="statement" name="statement" rows="4">${isStanding ? (claim.statement ?? '') : ''}</textarea>
<label for="disclosures">Your other wallets <small>optional; at most 50, one per line; from now on, their payments to you count as paying yourself</small></label><textarea id="disclosures" name="disclosures" rows="3" class="mono" spellcheck="false">${isStanding ? claim.disclosures.join('\n') : ''}</textarea>
<label for="max-price">Your highest price in dollars <small>optional; payments up to it are not flagged as above every listing</small></label><input id="max-price" name="max_price_usd" inputmode="decimal" maxlength="16" value="${isStanding && claim.maxPrice !== null ? formatUsd(claim.maxPrice) : ''}">
<p><button name="action" value="claim">Show the claim text</button>${hasNothing ? '' : html` <button name="action" value="withdraw">Show the withdrawal text</button>`}</p></form></section>`
}

function disputeForm(address: Address | null): Markup {
  return html`<section aria-labelledby="dispute"><h2 id="dispute">Is a report wrong, and you cannot sign?</h2>
<p>Write to the operator. The note is not published.</p>
<form class="panel fields" method="post" action="/disputes">
${addressField('dispute-address', 'Wallet of the report', address)}
<label for="week">Last day of the published week <small>leave empty for the newest window</small></label><input type="date" id="week" name="week">
<label for="text">What is wrong, and the evidence for it</label><textarea id="text" name="text" rows="6" maxlength="${MAX_DISPUTE_CHARACTERS}" required></textarea>
<label for="contact">Contact details <small>optional; visible to the operator only</small></label><input id="contact" name="contact" maxlength="${MAX_CONTACT_CHARACTERS}" autocomplete="email">
<p><button>Send to the operator</button></p></form></section>`
}

function addressField(id: string, label: string, address: Address | null): Markup {
  return html`<label for="${id}">${label}</label><input id="${id}" name="address" class="mono" value="${address ?? ''}" placeholder="0x…" maxlength="42" required spellcheck="false" autocomplete="off">`
}
