import { html } from 'hono/html'
import type { Markup } from '../../pages/layout.ts'

/** Which revision of a published week is shown. */
export type ShownRevision = {
  /** The published week, such as `2026-11-15`; absent for the newest window, which has no revisions. */
  readonly week?: string | undefined
  readonly revision: number
  readonly newestRevision: number
  /** Why the revision was made; null for the first. */
  readonly reason: string | null
}

/** Tells of corrections of a week, and leads to the revisions before and after; empty for a week without any. */
export function renderRevision(path: string, shown: ShownRevision): Markup {
  const { week, revision, newestRevision, reason } = shown
  if (week === undefined || newestRevision === 1) return html``
  const to = (number: number, text: string) =>
    html`<a href="${path}?week=${week}&amp;revision=${number}">${text}</a> `
  return html`<p class="note" role="status">${
    revision < newestRevision
      ? html`A later revision of this week stands: these figures were corrected. `
      : html`This week was corrected. `
  }Revision ${revision} of ${newestRevision}${reason === null ? '. ' : html`: ${reason} `}${
    revision > 1 ? to(revision - 1, 'The revision before') : ''
  }${revision < newestRevision ? to(revision + 1, 'The next revision') : ''}<a href="/weeks/${week}.json">All revisions as JSON</a></p>`
}

/** The query of links that stay with what is shown: the newest revision is named by its week alone. */
export function toShownQuery({ week, revision, newestRevision }: ShownRevision): string {
  if (week === undefined) return ''
  return revision === newestRevision ? `?week=${week}` : `?week=${week}&revision=${revision}`
}
