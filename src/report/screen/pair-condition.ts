import type { Address } from '../../chain/hex.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { PairColumns } from './screen.ts'

/** The SQL condition that a buyer is one of the wallets listed for its merchant. */
export function toPairCondition(
  { buyer, merchant }: Pick<PairColumns, 'buyer' | 'merchant'>,
  walletsOf: ReadonlyMap<Address, ReadonlySet<Address>>,
): string {
  const pairs = [...walletsOf].flatMap(([owner, wallets]) =>
    [...wallets].map((wallet) => `(${toAddressLiteral(owner)}, ${toAddressLiteral(wallet)})`),
  )
  return pairs.length === 0 ? '0' : `(${merchant}, ${buyer}) IN (${pairs.join(', ')})`
}
