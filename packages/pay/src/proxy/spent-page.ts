import { formatUsd } from '@tollbook/chain/usdc'
import { ICON, ICON_PATH } from '@tollbook/endpoints/documents/brand'
import { PAGE_HEADERS, renderSitePage, STYLE_PATH } from '@tollbook/endpoints/documents/site-page'
import { renderStyle } from '@tollbook/endpoints/documents/style'
import { html } from 'hono/html'
import type { Buyer } from '../buyer.ts'
import type { PaymentState } from '../spending-log.ts'

const SPENT_PATH = '/spent'
const MAX_ROWS = 200
const STATES: Readonly<Record<PaymentState, string>> = {
  sent: 'may be charged',
  reported: 'charged, says the seller; the chain does not show it yet',
  settled: 'settled on the chain',
  released: 'never charged',
}

/** What was spent, as JSON: sums in dollars, and the newest payments. */
export function toSpent(buyer: Buyer, count = MAX_ROWS) {
  const { budget, max } = buyer
  const { spent, open } = buyer.totals()
  const left = budget - spent - open
  return {
    budget_usd: formatUsd(budget),
    max_usd: formatUsd(max),
    spent_usd: formatUsd(spent),
    open_usd: formatUsd(open),
    left_usd: formatUsd(left > 0n ? left : 0n),
    payments: buyer.list(count).map(({ at, url, payTo, amount, counted, state, transaction }) => ({
      at: new Date(at).toISOString(),
      url,
      pay_to: payTo,
      max_usd: formatUsd(amount),
      charged_usd: state === 'sent' ? null : formatUsd(counted),
      state,
      transaction,
    })),
  }
}

type OwnPage = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the proxy itself serves, by path: what was spent, as JSON or as a page, with the page's style and icon. */
export function createSpentPages(
  buyer: Buyer,
  to: string,
): ReadonlyMap<string, (accept: string) => Promise<OwnPage>> {
  return new Map<string, (accept: string) => Promise<OwnPage>>([
    [
      SPENT_PATH,
      async (accept) => {
        await buyer.reconcile()
        const isPage = accept.includes('text/html')
        const body = isPage ? await renderSpent(toSpent(buyer), to) : JSON.stringify(toSpent(buyer))
        const type = isPage ? 'text/html' : 'application/json'
        return {
          body,
          headers: { ...PAGE_HEADERS, 'content-type': `${type}; charset=utf-8`, vary: 'Accept' },
        }
      },
    ],
    [SPENT_PATH + STYLE_PATH, async () => ({ body: renderStyle(), headers: headersOf('text/css') })],
    [SPENT_PATH + ICON_PATH, async () => ({ body: ICON, headers: headersOf('image/svg+xml') })],
  ])
}

const headersOf = (type: string) => ({ ...PAGE_HEADERS, 'content-type': `${type}; charset=utf-8` })

/** Links to nothing behind the proxy, which refuses browsers. */
function renderSpent(spent: ReturnType<typeof toSpent>, to: string): Promise<string> {
  const title = `$${spent.spent_usd} spent`
  const rows = spent.payments.map(
    ({ at, url, charged_usd, max_usd, state, transaction }) =>
      html`<tr><td>${at.slice(0, 19).replace('T', ' ')}</td><td><code>${url}</code></td><td class="price">${charged_usd === null ? `at most $${max_usd}` : `$${charged_usd}`}</td><td>${STATES[state]}</td><td><code>${transaction ?? ''}</code></td></tr>`,
  )
  return renderSitePage({
    title,
    description: title,
    home: SPENT_PATH,
    header: html`<span>Proxy</span>`,
    main: html`<h1>${title}</h1><p class="lead">Of a budget of $${spent.budget_usd}, $${spent.left_usd} is left; $${spent.open_usd} may still be charged. One call to ${to} costs at most $${spent.max_usd}.</p><div class="scroll" role="region" aria-label="Payments" tabindex="0"><table><thead><tr><th>time</th><th>address</th><th>charge</th><th>state</th><th>transaction</th></tr></thead><tbody>${rows}</tbody></table></div>`,
    footer: html`<p>Served by tollbook proxy on this machine.</p>`,
  })
}
