import type { Markup } from '@tollbook/endpoints/documents/site-page'
import type { Sums } from '@tollbook/verify/published/overview'
import { html } from 'hono/html'

/** The passing part of a whole, as a bar; the same value is next to it as text. */
export function renderShareBar(share: number | null): Markup {
  if (share === null) return html``
  return html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round(share * 1000) / 10}" height="8"/></svg>`
}

/** The share of dollars that passes; null if a part of less than half a cent passes. */
export function shareOfUsd({ usd, real_usd, tx, real_tx }: Sums): number | null {
  if (usd > 0) return real_usd / usd
  if (real_tx === tx) return tx === 0 ? 0 : 1
  return real_tx === 0 ? 0 : null
}

/** The share of an empty total is zero. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
