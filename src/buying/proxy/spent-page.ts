import { html } from 'hono/html'
import { docsFrame } from '../../catalogue/documents/page-frame.ts'
import type { RenderedPage } from '../../catalogue/service.ts'
import { formatUsd } from '../../money/usdc.ts'
import type { Buyer } from '../buyer.ts'

const MAX_ROWS = 200

/** What was spent, as JSON: sums in dollars, and the newest payments. */
export function toSpent({ budget, max, totals, list }: Buyer, count = MAX_ROWS) {
  const { spent, open } = totals()
  const left = budget - spent - open
  return {
    budget_usd: formatUsd(budget),
    max_usd: formatUsd(max),
    spent_usd: formatUsd(spent),
    open_usd: formatUsd(open),
    left_usd: formatUsd(left > 0n ? left : 0n),
    payments: list(count).map(({ at, url, payTo, amount, counted, state, transaction }) => ({
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

/** The same as a page for people. */
export async function renderSpent(
  buyer: Buyer,
  { to, isPage }: { readonly to: string; readonly isPage: boolean },
): Promise<RenderedPage> {
  const spent = toSpent(buyer)
  if (!isPage)
    return { body: JSON.stringify(spent), headers: { 'content-type': 'application/json; charset=utf-8' } }
  const rows = spent.payments.map(
    ({ at, url, charged_usd, max_usd, state, transaction }) =>
      html`<tr><td>${at.slice(0, 19).replace('T', ' ')}</td><td><code>${url}</code></td><td class="price">${charged_usd === null ? `at most $${max_usd}` : `$${charged_usd}`}</td><td>${state}</td><td><code>${transaction ?? ''}</code></td></tr>`,
  )
  return docsFrame({
    title: `$${spent.spent_usd} spent`,
    lead: `Of a budget of $${spent.budget_usd}, $${spent.left_usd} is left; $${spent.open_usd} may still be charged. One call to ${to} costs at most $${spent.max_usd}.`,
    content: html`<div class="scroll"><table><thead><tr><th>time</th><th>address</th><th>charge</th><th>state</th><th>transaction</th></tr></thead><tbody>${rows}</tbody></table></div>`,
  })
}
