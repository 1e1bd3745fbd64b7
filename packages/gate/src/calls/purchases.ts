import type { Address } from '@tollbook/chain/hex'
import { type SqlBool, sql } from 'kysely'
import type { State } from '../state/state.ts'

/** The newest settled call with this request, by this payer, that may still be repeated; its id, or null. */
export async function findPurchase(
  { db }: State,
  { payer, fingerprint, now }: { readonly payer: Address; readonly fingerprint: string; readonly now: Date },
): Promise<string | null> {
  const row = await db
    .selectFrom('paid_call')
    .select('id')
    .where('payer', '=', payer)
    .where('fingerprint', '=', fingerprint)
    .where('repeat_ms', 'is not', null)
    .where(sql<SqlBool>`settled_at + repeat_ms > ${now.getTime()}`)
    .orderBy('settled_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}
