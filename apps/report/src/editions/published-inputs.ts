import type { Address } from '@tollbook/chain/hex'
import { isGroupKey, type Wallets } from '@tollbook/verify/published/group-key'
import type { PublishedInputs } from '../run/read-method.ts'
import type { State } from '../state/state.ts'
import type { StoredBasis } from './basis.ts'
import { parseStoredInputs, toClaimsAndListings } from './stored-inputs.ts'
import { loadBasis, type StoredEdition, selectReports } from './stored-reports.ts'

/** What a revision of a week was computed from besides the chain: what merchants had decided then, and the groups of then. */
export async function readPublishedInputs(state: State, published: StoredEdition): Promise<PublishedInputs> {
  const at = new Date(published.published_at)
  const rows = await selectReports(state)
    .select(['reports.address', 'reports.name', 'reports.is_name_confirmed', 'report_texts.inputs'])
    .where('reports.edition', '=', published.edition)
    .where('reports.revision', '=', published.revision)
    .where('report_texts.inputs', 'is not', null)
    .execute()
  const [ofGroups, ofWallets] = [true, false].map((isGroup) =>
    rows.filter((row) => isGroupKey(row.address) === isGroup),
  )
  const basis = await loadBasis(state, published.basis)
  return {
    claimsAndListings: new Map(
      (ofWallets ?? []).map(({ inputs, name, is_name_confirmed, ...row }) => {
        const address = row.address as Address
        const confirmedName = is_name_confirmed === 1 ? name : null
        return [address, toClaimsAndListings(inputs ?? '', { address, confirmedName, at })]
      }),
    ),
    groups: (ofGroups ?? []).map(({ name, inputs }) => ({
      host: name,
      // Written by writeStoredInputs from a group.
      wallets: parseStoredInputs(inputs ?? '').wallets as unknown as Wallets,
    })),
    // storeBasis writes this very type; an older version stored none.
    listedPayees: basis === undefined ? [] : (JSON.parse(basis) as StoredBasis).listedPayees,
  }
}
