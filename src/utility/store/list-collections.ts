import type { Address } from '../../catalogue/endpoint.ts'
import type { State } from '../../state/state.ts'
import type { CollectionTable } from '../../state/tables/wallet.ts'

type Options = { readonly state: State; readonly wallet: Address; readonly now: Date }

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
