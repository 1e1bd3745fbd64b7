import type { Address, Hex } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { RangeSize } from '@tollbook/verify/chain/range-size'
import { readTransfers } from '@tollbook/verify/chain/transfers'

/** Ten minutes of Base. */
export const SAMPLE_BLOCKS = 300
/** As many partners in ten minutes are some thirty thousand in a week: no person's wallet. */
export const MIN_PARTNERS = 30

export type HubSearch = {
  readonly rpc: Rpc
  readonly range: RangeSize
  readonly usdc: Address
  readonly wallets: readonly Address[]
  readonly window: BlockRange
  /** Hash of the last block of the window: the sample must not be predictable. */
  readonly hash: Hex
}

/**
 * Wallets that many people share, such as an exchange's: at least thirty partners in a sample of ten minutes
 * whose place the window's last block decides. Two requests for 200 wallets.
 */
export async function findHubs(search: HubSearch, signal: AbortSignal): Promise<ReadonlySet<Address>> {
  const { wallets } = search
  if (wallets.length === 0) return new Set()
  const partners = new Map(wallets.map((wallet) => [wallet, new Set<Address>()]))
  for (const direction of ['out', 'in'] as const) {
    const query = { ...search, ...placeSample(search), direction }
    for await (const transfers of readTransfers(query, signal))
      for (const { sender, recipient } of transfers) {
        partners.get(sender)?.add(recipient)
        partners.get(recipient)?.add(sender)
      }
  }
  return new Set([...partners].flatMap(([wallet, found]) => (found.size >= MIN_PARTNERS ? [wallet] : [])))
}

function placeSample({ window: { firstBlock, endBlock }, hash }: HubSearch): BlockRange {
  const places = Math.max(1, endBlock - firstBlock - SAMPLE_BLOCKS + 1)
  const from = firstBlock + Number(BigInt(hash) % BigInt(places))
  return { firstBlock: from, endBlock: Math.min(endBlock, from + SAMPLE_BLOCKS) }
}
