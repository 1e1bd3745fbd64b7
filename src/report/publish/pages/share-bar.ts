import { html } from 'hono/html'
import type { Markup } from './layout.ts'

/** The passing part of a whole, as a bar; what it shows stands beside it as text. */
export function renderShareBar(share: number): Markup {
  return html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round(share * 1000) / 10}" height="8"/></svg>`
}

/** Of nothing, nothing passes. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
