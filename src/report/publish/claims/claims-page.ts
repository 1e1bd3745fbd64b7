import { html } from 'hono/html'
import type { Address } from '../../chain/payment.ts'
import { type Challenge, renderChallengeText } from '../../claims/challenge-text.ts'
import { MAX_CONTACT_CHARACTERS, MAX_DISPUTE_CHARACTERS } from '../../claims/disputes.ts'
import { MAX_STATEMENT_CHARACTERS } from '../../claims/own-words.ts'
import type { Claim } from '../../claims/stored-claims.ts'
import { showTime } from '../pages/figures-text.ts'
import { type Markup, renderPage } from '../pages/layout.ts'

const TITLE = 'Claim a report, or dispute one'

/** The forms; filled in with what the wallet has published, since a claim takes the place of the one before. */
export function renderClaimsPage(
  baseUrl: string,
  { address, claim }: { readonly address: Address | null; readonly claim: Claim | null },
): Promise<string> {
  return renderPage({
    title: TITLE,
    description: 'Show that a wallet is yours, reply in your own words, or write to the operator.',
    canonical: `${baseUrl}/claims`,
    main: html`<h1>${TITLE}</h1>
<p class="lead">A merchant whose wallet signs a text can reply on its page and name further wallets of its own. Who cannot sign can write to the operator. Both are free, and nothing is sent to the chain.</p>
${claimForm(address, claim)}
${disputeForm(address)}`,
  })
}

/** The text to sign, and where its signature goes. */
export function renderSignPage(challenge: Challenge, baseUrl: string): Promise<string> {
  return renderPage({
    title: 'Sign this text',
    description: 'The text that proves a wallet.',
    main: html`<h1>Sign this text</h1>
<p class="lead">Sign it with <span class="mono">${challenge.address}</span> as a personal message, before ${showTime(challenge.expiresAt.toISOString())}. A signature of this text moves no money.</p>
<pre tabindex="0">${renderChallengeText(challenge, baseUrl)}</pre>
<p>Any wallet that signs messages can do it. With the text saved in a file and Foundry installed:</p>
<pre tabindex="0">cast wallet sign --interactive "$(cat claim.txt)"</pre>
<form class="panel fields" method="post" action="/claims"><input type="hidden" name="nonce" value="${challenge.nonce}">
<label for="signature">Signature</label><textarea id="signature" name="signature" rows="4" class="mono" required autocomplete="off" spellcheck="false"></textarea>
<p><button>Send</button></p></form>`,
  })
}

/** What has been accepted. */
export function renderAcceptedPage({ address, action, madeAt }: Claim): Promise<string> {
  const page = `/merchants/base/${address}`
  const title = action === 'claim' ? 'The report is claimed' : 'The claim is withdrawn'
  return renderPage({
    title,
    description: title,
    main: html`<h1>${title}</h1>
<p class="lead">Signed by <span class="mono">${address}</span>, taken ${showTime(madeAt.toISOString())}. Its page shows it now, or with its first payment when there is none yet. Figures follow with the next publication, and published weeks stay as they are.</p>
<ul class="links"><li><a href="${page}">The merchant’s page</a></li><li><a href="${page}/claim.json">The public record of the claim</a></li></ul>`,
  })
}

/** A note has reached the operator. */
export function renderFiledPage(id: string): Promise<string> {
  return renderPage({
    title: 'Your note is with the operator',
    description: 'Your note is with the operator.',
    main: html`<h1>Your note is with the operator</h1>
<p class="lead">Its number is <code>${id}</code>. Notes change no figure by themselves, and neither they nor how you can be reached are published.</p>
<p><a href="/">All merchants</a></p>`,
  })
}

function claimForm(address: Address | null, claim: Claim | null): Markup {
  const isStanding = claim?.action === 'claim'
  const hasNothing = address !== null && !isStanding
  return html`<section aria-labelledby="claim"><h2 id="claim">Is this your wallet?</h2>
<p>You are shown a text to sign that holds all that you publish. It takes the place of what you published before${isStanding ? ', which stands in the fields' : ''}.</p>
<form class="panel fields" method="post" action="/claims/challenge">
${addressField('claim-address', 'Wallet that is paid', address)}
<label for="statement">Your own words <small>plain text, at most ${MAX_STATEMENT_CHARACTERS} characters, may stay empty</small></label><textarea id="statement" name="statement" rows="4">${isStanding ? (claim.statement ?? '') : ''}</textarea>
<label for="disclosures">Further wallets of yours <small>at most 50, one a line, may stay empty; what they pay you counts as paying yourself from then on</small></label><textarea id="disclosures" name="disclosures" rows="3" class="mono" spellcheck="false">${isStanding ? claim.disclosures.join('\n') : ''}</textarea>
<p><button name="action" value="claim">Show the text of a claim</button>${hasNothing ? '' : html` <button name="action" value="withdraw">Show the text of a withdrawal</button>`}</p></form></section>`
}

function disputeForm(address: Address | null): Markup {
  return html`<section aria-labelledby="dispute"><h2 id="dispute">You cannot sign, and a report is wrong?</h2>
<p>Write to the operator. The note is not published.</p>
<form class="panel fields" method="post" action="/disputes">
${addressField('dispute-address', 'Wallet of the report', address)}
<label for="week">Last day of the published week <small>empty for the newest window</small></label><input type="date" id="week" name="week">
<label for="text">What is wrong, and how that can be seen</label><textarea id="text" name="text" rows="6" maxlength="${MAX_DISPUTE_CHARACTERS}" required></textarea>
<label for="contact">How you can be reached <small>for the operator alone, may stay empty</small></label><input id="contact" name="contact" maxlength="${MAX_CONTACT_CHARACTERS}" autocomplete="email">
<p><button>Send to the operator</button></p></form></section>`
}

function addressField(id: string, label: string, address: Address | null): Markup {
  return html`<label for="${id}">${label}</label><input id="${id}" name="address" class="mono" value="${address ?? ''}" placeholder="0x…" maxlength="42" required spellcheck="false" autocomplete="off">`
}
