import type { Address } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import type { Kysely } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import type { CollectionTable } from '../state/wallet-tables.ts'

type CollectionKey = { readonly wallet: Address; readonly name: string; readonly nowMs: number }

type Options = { readonly state: State; readonly wallet: Address; readonly now: Date }

/** The wallet's collection of that name; null if it is missing or expired. */
export async function findCollection(
  db: Kysely<Tables>,
  key: CollectionKey,
): Promise<CollectionTable | null> {
  const found = await db
    .selectFrom('collection')
    .selectAll()
    .where('wallet', '=', key.wallet)
    .where('name', '=', key.name)
    .where('expires_at', '>', key.nowMs)
    .executeTakeFirst()
  return found ?? null
}

/** @throws ProblemError `not_found` if the wallet has no such collection. */
export async function requireCollection(db: Kysely<Tables>, key: CollectionKey): Promise<CollectionTable> {
  const found = await findCollection(db, key)
  if (found) return found
  throw new ProblemError({
    code: 'not_found',
    detail: `The paying wallet has no collection named ${key.name}.`,
  })
}

/** The wallet's collections by name, in the order of code units on every database. */
export async function listCollections({ state, wallet, now }: Options): Promise<readonly CollectionTable[]> {
  const collections = await state.db
    .selectFrom('collection')
    .selectAll()
    .where('wallet', '=', wallet)
    .where('expires_at', '>', now.getTime())
    .execute()
  return collections.sort((a, b) => (a.name < b.name ? -1 : 1))
}
