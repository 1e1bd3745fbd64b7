import { html } from 'hono/html'
import type { Markup } from '../../../../catalogue/documents/site-page.ts'
import { toOperatorHost } from '../../../claims/operators.ts'

export type WalletsSection = {
  readonly report: { readonly wallets?: readonly string[] | undefined }
  /** The operator of this wallet and of others, as its address; null for none. */
  readonly operator: string | null
}

/** The wallets of an operator, or a link from one of them to it. @param query as in the evidence section. */
export function renderWallets({ report, operator }: WalletsSection, query: string): Markup | string {
  const toLink = (key: string, text: string) => html`<a href="/merchants/base/${key}${query}">${text}</a>`
  if (operator !== null)
    return html`<p class="note">This is one of several wallets of ${toLink(operator, toOperatorHost(operator))}, which also has a report of all of them as one.</p>
`
  if (!report.wallets) return ''
  const items = report.wallets.map((wallet) => html`<li class="mono">${toLink(wallet, wallet)}</li>`)
  return html`<section aria-labelledby="wallets"><h2 id="wallets">Wallets</h2>
<p>This report counts these wallets as one merchant, as its listings and claims prove. A payment between them is flagged as self_pay. Each wallet also has a report of its own, with its payments.</p>
<ul class="links">${items}</ul></section>
`
}
