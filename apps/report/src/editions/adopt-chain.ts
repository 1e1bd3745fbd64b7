import type { Hex } from '@tollbook/chain/hex'
import { sql } from 'kysely'
import type { State } from '../state/state.ts'

const TABLES = ['report_editions', 'reports', 'report_texts'] as const

/**
 * Serves the reports of a chain, by the hash of its genesis block. Those of another, such as a lost local
 * chain, are hidden and come back with it. @returns the chain whose reports were hidden; null for none.
 */
export async function adoptChain(state: State, chain: Hex): Promise<string | null> {
  const known = await state.db.selectFrom('report_chain').select('chain').executeTakeFirst()
  if (known?.chain === chain) return null
  return state.db.transaction().execute(async (transaction) => {
    // Written first, so that PostgreSQL locks the row that guards the rest.
    await transaction
      .insertInto('report_chain')
      .values({ is_current: 1, chain })
      .onConflict((conflict) => conflict.column('is_current').doUpdateSet({ is_current: 1 }))
      .execute()
    const before = await transaction.selectFrom('report_chain').select('chain').executeTakeFirstOrThrow()
    if (before.chain === chain) return null
    const prefix = prefixOf(chain)
    // Revisions that are served are 0 or higher, so no query finds negative ones.
    for (const table of TABLES.map((name) => sql.table(name))) {
      await sql`
        update ${table} set edition = cast(${prefixOf(before.chain)} as text) || edition, revision = -1 - revision
        where revision >= 0`.execute(transaction)
      await sql`
        update ${table}
        set edition = substr(edition, ${sql.lit(prefix.length + 1)}), revision = -1 - revision
        where revision < 0 and edition like ${`${prefix}%`}`.execute(transaction)
    }
    await transaction.updateTable('report_chain').set({ chain }).execute()
    return before.chain
  })
}

/** Editions in use are dates or `rolling`, and contain no slash. */
function prefixOf(chain: string): string {
  return `${chain.slice(2, 18)}/`
}
