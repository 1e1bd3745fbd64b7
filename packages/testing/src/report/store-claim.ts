import type { Address } from '@tollbook/chain/hex'
import type { State } from '@tollbook/report/state/state'

export type StoredClaim = {
  readonly address: Address
  readonly action?: 'claim' | 'withdraw'
  readonly madeAt?: Date
  readonly disclosures?: readonly Address[]
}

/** Stores an accepted claim or withdrawal; how one is signed and checked is tested elsewhere. */
export async function storeClaim(
  state: State,
  { address, action = 'claim', madeAt = new Date(0), disclosures = [] }: StoredClaim,
): Promise<void> {
  const earlier = await state.db
    .selectFrom('claim')
    .select('version')
    .where('address', '=', address)
    .execute()
  await state.db
    .insertInto('claim')
    .values({
      address,
      version: 1 + earlier.length,
      action,
      message: '',
      signature: '0x',
      statement: null,
      disclosures: JSON.stringify(disclosures),
      made_at: madeAt.getTime(),
    })
    .execute()
}
