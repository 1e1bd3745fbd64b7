import type { Address } from '../../catalogue/endpoint.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'

/** An amount that was read is believed for so long; what settles meanwhile is taken off it. */
const BELIEVED_MS = 2_000
/** Wallets that are remembered at once. */
const MOST_WALLETS = 10_000

/** An amount of each wallet, read from the chain and remembered for a moment. */
export interface WalletReading {
  read(wallet: Address, signal: AbortSignal): Promise<AtomicUsdc>
  /** Something of it was spent. */
  take(wallet: Address, amount: AtomicUsdc): void
}

export function createWalletReading(
  readNow: (wallet: Address, signal: AbortSignal) => Promise<AtomicUsdc>,
  clock: () => Date,
): WalletReading {
  const known = new Map<Address, { readonly readAt: number; amount: AtomicUsdc }>()
  return {
    read: async (wallet, signal) => {
      const now = clock().getTime()
      const last = known.get(wallet)
      if (last && now - last.readAt < BELIEVED_MS) return last.amount
      const amount = await readNow(wallet, signal)
      if (known.size >= MOST_WALLETS) known.clear()
      known.set(wallet, { readAt: now, amount })
      return amount
    },
    take: (wallet, amount) => {
      const last = known.get(wallet)
      if (last) last.amount -= amount
    },
  }
}
