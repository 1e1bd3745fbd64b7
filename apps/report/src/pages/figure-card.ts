import type { Markup } from '@tollbook/endpoints/documents/site-page'
import { html } from 'hono/html'
import { showShare } from './figures-text.ts'
import { renderShareBar, shareOf } from './share-bar.ts'

export type FigureCard = {
  readonly label: string
  /** The figure that passes every screen, and the reported figure. */
  readonly real: number
  readonly reported: number
  readonly show: (value: number) => string
}

/** A total that passes every screen, with the reported total right below it and the share as a bar. */
export function renderFigureCard({ label, real, reported, show }: FigureCard): Markup {
  const share = shareOf(real, reported)
  return html`<li><span class="label">${label}</span><span class="value real">${show(real)}</span><span class="of">of <strong>${show(reported)}</strong> reported (${showShare(share)})</span>${renderShareBar(share)}</li>`
}
