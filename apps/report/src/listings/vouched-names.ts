import type { Address } from '@tollbook/chain/hex'
import { toName } from '@tollbook/verify/listings/merchant-listings'
import type { State } from '../state/state.ts'

/** Catalogues that must agree on a name. Anyone gets a wallet into one for the price of a call. */
const MIN_CATALOGUES = 2

/**
 * Names by payee that the operator's service or two catalogues of different hosts give, not their own host,
 * whose owner the listing party may be. @param ownSources base URLs of the operator's own services.
 */
export async function readVouchedNames(
  state: State,
  ownSources: readonly string[],
): Promise<ReadonlyMap<Address, ReadonlySet<string>>> {
  const rows = await state.db
    .selectFrom('report_listings')
    .select(['pay_to', 'host', 'source'])
    .distinct()
    .execute()
  const own = new Set(ownSources)
  const vouched = new Map<Address, Set<string>>()
  const catalogues = new Map<string, Set<string>>()
  for (const { pay_to, host, source } of rows) {
    const payTo = pay_to as Address
    const name = toName(host)
    const sourceHost = new URL(source).host
    const key = `${payTo} ${name}`
    const listing = catalogues.get(key) ?? new Set()
    catalogues.set(key, listing)
    if (toName(sourceHost) !== name) listing.add(sourceHost)
    if (!own.has(source) && listing.size < MIN_CATALOGUES) continue
    const names = vouched.get(payTo) ?? new Set()
    vouched.set(payTo, names.add(name))
  }
  return vouched
}
