import type { Markup } from '@tollbook/endpoints/documents/site-page'
import { html } from 'hono/html'

export type ShownRevision = {
  /** The published week, such as `2026-11-15`; absent for the newest window, which has no revisions. */
  readonly week?: string | undefined
  /** Length of the newest window. */
  readonly days: number
  readonly revision: number
  readonly newestRevision: number
  /** The reason for the revision; null for the first. */
  readonly reason: string | null
}

/** Announces corrections of a week, with links to the revisions next to it; empty without any. */
export function renderRevision(path: string, shown: ShownRevision): Markup {
  const { week, revision, newestRevision, reason } = shown
  if (week === undefined || newestRevision === 1) return html``
  const to = (number: number, text: string) =>
    html`<a href="${path}?week=${week}&amp;revision=${number}">${text}</a> `
  return html`<p class="note" role="status">${
    revision < newestRevision
      ? html`These figures were corrected by a later revision. `
      : html`This week was corrected. `
  }Revision ${revision} of ${newestRevision}${reason === null ? '. ' : html`: ${reason} `}${
    revision > 1 ? to(revision - 1, 'Previous revision') : ''
  }${revision < newestRevision ? to(revision + 1, 'Next revision') : ''}<a href="/weeks/${week}.json">All revisions as JSON</a></p>`
}

/** The query for links that keep the week and revision shown; the newest has only its week. */
export function toShownQuery({ week, days, revision, newestRevision }: ShownRevision): string {
  if (week === undefined) return days === 7 ? '' : `?days=${days}`
  return revision === newestRevision ? `?week=${week}` : `?week=${week}&revision=${revision}`
}
