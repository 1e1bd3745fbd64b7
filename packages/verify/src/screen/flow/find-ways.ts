import type { Address } from '@tollbook/chain/hex'

/** From one wallet to another, in any amount. */
export type Edge = { readonly sender: Address; readonly recipient: Address }

export type WaySearch = {
  /** The merchant's wallet and those that it disclosed. */
  readonly origins: ReadonlySet<Address>
  readonly buyers: ReadonlySet<Address>
  readonly edges: Iterable<Edge>
  readonly hubs: ReadonlySet<Address>
}

/** Chosen: longer ways are not looked for, since every wallet on them multiplies what has to be read. */
export const MAX_RELAYS = 6

/** The wallets on any way from the merchant to a buyer over at most six relays, buyers included. */
export function findWays({ origins, buyers, edges, hubs }: WaySearch): ReadonlySet<Address> {
  const after = new Map<Address, Address[]>()
  const before = new Map<Address, Address[]>()
  for (const { sender, recipient } of edges) {
    if (sender === recipient || hubs.has(sender) || hubs.has(recipient) || origins.has(recipient)) continue
    push(after, sender, recipient)
    push(before, recipient, sender)
  }
  const fromOrigins = distances(origins, after)
  const toBuyers = distances(buyers, before)
  const wallets = new Set<Address>()
  for (const [wallet, steps] of fromOrigins) {
    const rest = toBuyers.get(wallet)
    if (origins.has(wallet) || rest === undefined) continue
    if (steps + rest <= MAX_RELAYS + 1) wallets.add(wallet)
  }
  return wallets
}

function distances(
  starts: ReadonlySet<Address>,
  next: ReadonlyMap<Address, readonly Address[]>,
): ReadonlyMap<Address, number> {
  const found = new Map<Address, number>([...starts].map((wallet) => [wallet, 0]))
  let edge: readonly Address[] = [...starts]
  for (let steps = 1; steps <= MAX_RELAYS + 1 && edge.length > 0; steps += 1) {
    const reached = edge.flatMap((wallet) => next.get(wallet) ?? []).filter((wallet) => !found.has(wallet))
    for (const wallet of reached) found.set(wallet, steps)
    edge = [...new Set(reached)]
  }
  return found
}

function push(lists: Map<Address, Address[]>, key: Address, value: Address): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
