import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * PostgreSQL collects new words in a pending list (4 MB by default) before sorting them into the index, and
 * every lookup reads that whole list. A search makes one lookup per day, so the list is limited to 64 kB, the
 * minimum: a lookup then costs at most 20 microseconds, and inserting is still more than twice as fast as
 * without the list (https://www.postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE).
 */
export const socialWordsPending: Migration = {
  name: '0023-social-words-pending',
  async up(db, kind) {
    if (kind === 'sqlite') return
    for (const index of ['social_tweet_words', 'social_user_words'])
      await sql`alter index ${sql.ref(index)} set (gin_pending_list_limit = 64)`.execute(db)
  },
}
