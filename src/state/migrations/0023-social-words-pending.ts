import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * PostgreSQL gathers new words in a list before it sorts them into the index, 4 MB by default, and every look into
 * the index reads that whole list. A search looks once for each day, so the list ends at 64 kB, the least allowed:
 * it costs such a look 20 microseconds at most, and keeps storing more than twice as quick as without it
 * (https://www.postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE).
 */
export const socialWordsPending: Migration = {
  name: '0023-social-words-pending',
  async up(db, kind) {
    if (kind === 'sqlite') return
    for (const index of ['social_tweet_words', 'social_user_words'])
      await sql`alter index ${sql.ref(index)} set (gin_pending_list_limit = 64)`.execute(db)
  },
}
