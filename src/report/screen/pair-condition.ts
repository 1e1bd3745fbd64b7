import type { Address } from '../../chain/hex.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { WalletsOf } from './screen.ts'

/** SQL: the buyer is a wallet of its merchant. Each address alone is compared first, which is fast. */
export function toPairCondition(walletsOf: WalletsOf): string {
  const listed = [...walletsOf].filter(([, wallets]) => wallets.size > 0)
  if (listed.length === 0) return '0'
  const pairs = listed.flatMap(([owner, wallets]) =>
    [...wallets].map((wallet) => `(${toAddressLiteral(owner)}, ${toAddressLiteral(wallet)})`),
  )
  const merchants = toList(listed.map(([owner]) => owner))
  const buyers = toList(listed.flatMap(([, wallets]) => [...wallets]))
  return `(merchant IN (${merchants}) AND buyer IN (${buyers}) AND (merchant, buyer) IN (${pairs.join(', ')}))`
}

function toList(wallets: readonly Address[]): string {
  return [...new Set(wallets)].map(toAddressLiteral).join(', ')
}
