import type { Address } from '../../catalogue/endpoint.ts'
import type { State } from '../../state/state.ts'

type Options = { readonly state: State; readonly wallet: Address; readonly now: Date }

/** The wallet's pads by name, in the order of code units on every database, each with its current version. */
export async function listPads({ state, wallet, now }: Options) {
  const pads = await state.db
    .selectFrom('pad')
    .innerJoin('pad_version', (join) =>
      join.onRef('pad_version.pad', '=', 'pad.id').onRef('pad_version.version', '=', 'pad.version'),
    )
    .select(['name', 'pad.version', 'pad.bytes', 'expires_at', 'kind', 'made_at'])
    .select('pad_version.bytes as sizeBytes')
    .where('wallet', '=', wallet)
    .where('expires_at', '>', now.getTime())
    .execute()
  return pads.sort((a, b) => (a.name < b.name ? -1 : 1))
}
