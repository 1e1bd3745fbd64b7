import type { Address } from '@tollbook/chain/hex'
import type { MoneyEdge } from '../build/money-moves.ts'

/**
 * Wallets at each level from which money left merchants further, or from which it came to buyers. Chosen: the
 * transfers of each one are read.
 */
const MAX_FRONTIER = 1_000
/** Wallets read in both directions, on a way back to a merchant. Chosen: the maximum above at each of three levels. */
export const MAX_WALLETS = 3_000

/** The wallets of one step, each with the merchant whose money led there. */
export type Frontier = ReadonlyMap<Address, Address>

/** The wallets after a frontier that are not known yet, chosen of each merchant in turn, the largest sums first. */
export function selectNext(
  edges: readonly MoneyEdge[],
  of: {
    readonly frontier: Frontier
    readonly direction: 'in' | 'out'
    isKnown(wallet: Address): boolean
  },
): Frontier {
  const sums = new Map<Address, Map<Address, bigint>>()
  for (const { sender, recipient, amount } of edges) {
    const [from, to] = of.direction === 'out' ? [sender, recipient] : [recipient, sender]
    const merchant = of.frontier.get(from)
    if (merchant === undefined || of.isKnown(to)) continue
    const own = sums.get(merchant) ?? new Map<Address, bigint>()
    sums.set(merchant, own.set(to, (own.get(to) ?? 0n) + amount))
  }
  const ordered = [...sums].map(([merchant, own]) => {
    const largest = [...own].sort(([a, small], [b, large]) =>
      small === large ? (a < b ? -1 : 1) : small > large ? -1 : 1,
    )
    return largest.map(([wallet]) => [wallet, merchant] as const)
  })
  return takeInTurn(ordered, MAX_FRONTIER)
}

/** The wallets that are followed for each merchant, ascending: `MAX_WALLETS` in total, chosen of each in turn. */
export function selectWallets(
  found: ReadonlyMap<Address, ReadonlySet<Address>>,
): ReadonlyMap<Address, readonly Address[]> {
  const selected = takeInTurn(
    [...found].map(([merchant, own]) => [...own].map((wallet) => [wallet, merchant] as const)),
    MAX_WALLETS,
  )
  const lists = [...found].map(
    ([merchant, own]) => [merchant, [...own].filter((wallet) => selected.has(wallet)).sort()] as const,
  )
  return new Map(lists.filter(([, list]) => list.length > 0))
}

/** Wallets of each list in turn, so that no merchant has those of the others left out. */
function takeInTurn(
  lists: readonly (readonly (readonly [wallet: Address, merchant: Address])[])[],
  max: number,
): Frontier {
  const taken = new Map<Address, Address>()
  const longest = Math.max(0, ...lists.map((list) => list.length))
  for (let turn = 0; turn < longest && taken.size < max; turn += 1)
    for (const list of lists) {
      const next = list[turn]
      if (next && taken.size < max && !taken.has(next[0])) taken.set(...next)
    }
  return taken
}
