import type { Markup } from '@tollbook/endpoints/documents/site-page'
import { html } from 'hono/html'
import type { StoredEdition } from '../editions/stored-reports.ts'
import { showTime } from './figures-text.ts'

/** Base blocks are final about 20 minutes after the head. A window that ended this long ago is late. */
const BEHIND_MS = 2 * 3_600_000

/** Whether the newest window ended so long ago that indexing must have stopped or is still catching up. */
export function isBehind(edition: StoredEdition, now: Date): boolean {
  return now.getTime() - edition.window_end > BEHIND_MS
}

/** What a reader must know before reading the figures of a window; empty when there is nothing to report. */
export function renderNotice(edition: StoredEdition, isLate: boolean): Markup {
  const end = showTime(new Date(edition.window_end).toISOString())
  const notes = [
    isLate ? `Indexing is behind: payments after ${end} are not counted yet.` : '',
    edition.is_complete === 1
      ? ''
      : 'This window is not complete: some of its blocks have not been read yet, so figures may still rise.',
  ].filter((note) => note !== '')
  return notes.length === 0 ? html`` : html`<p class="note mark" role="status">${notes.join(' ')}</p>`
}
