import type { PublishedVersion } from '@tollbook/http/reply/document-cache'
import { sql } from 'kysely'
import type { State } from '../state/state.ts'

/** Changes with every publication, correction and claim; cached for `freshMs`, 0 for no cache. */
export function createPublishedVersion(state: State, freshMs: number): PublishedVersion {
  let known: { readonly version: string; readonly readAtMs: number } | undefined
  let reading: Promise<string> | undefined

  async function ask(): Promise<string> {
    const readAtMs = performance.now()
    try {
      const version = await readVersion(state)
      known = { version, readAtMs }
      return version
    } finally {
      reading = undefined
    }
  }

  return {
    fresh: () => (known && performance.now() - known.readAtMs < freshMs ? known.version : undefined),
    read() {
      reading ??= ask()
      return reading
    },
  }
}

/** The version as the store has it now. */
export async function readVersion({ db }: Pick<State, 'db'>): Promise<string> {
  const newest = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('report_editions').select(sql<number | null>`max(published_at)`.as('at')).as('published_at'),
      // Statements and disclosures appear on pages as soon as they are signed.
      selectFrom('claim').select(sql<number | null>`max(made_at)`.as('at')).as('claimed_at'),
      selectFrom('claim').select(sql<number | null>`count(*)`.as('count')).as('claims'),
      selectFrom('report_editions').select(sql<number | null>`count(*)`.as('count')).as('editions'),
    ])
    .executeTakeFirstOrThrow()
  return `${newest.published_at} ${newest.editions} ${newest.claimed_at} ${newest.claims}`
}
