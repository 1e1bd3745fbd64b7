/** The stores that gates of this process sell with, by network and payee. */
const stores = new Map<string, { readonly store: string; gates: number }>()

/**
 * Notes that a gate sells with a store. Each store knows only its own calls: with two for one payee, a payment could buy an
 * answer at both, and settle once.
 * @returns how to take the note back. @throws Error if another store of this process sells for the payee.
 */
export function holdPayee(network: string, payTo: string, store: string): () => void {
  const key = `${network} ${payTo.toLowerCase()}`
  const held = stores.get(key)
  if (held && held.store !== store)
    throw new Error(
      `payTo ${payTo} is sold for with another store in this process (${nameOf(held.store)}): use the same store, or another wallet`,
    )
  const holding = held ?? { store, gates: 0 }
  holding.gates += 1
  stores.set(key, holding)
  return () => {
    holding.gates -= 1
    if (holding.gates === 0) stores.delete(key)
  }
}

/** Without user and password. */
function nameOf(store: string): string {
  return store.startsWith('sqlite:') ? store : `PostgreSQL at ${URL.parse(store)?.host ?? 'a socket'}`
}
