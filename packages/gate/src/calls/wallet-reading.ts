import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'

/** How long an amount is cached; settlements in the meantime are subtracted. */
const BELIEVED_MS = 2_000
/** Number of wallets in the cache. */
const MAX_WALLETS = 10_000

/** An amount of each wallet, read from the chain and cached briefly. */
export interface WalletReading {
  read(wallet: Address, signal: AbortSignal): Promise<AtomicUsdc>
  /** Subtracts an amount that was spent. */
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
      if (known.size >= MAX_WALLETS) known.clear()
      known.set(wallet, { readAt: now, amount })
      return amount
    },
    take: (wallet, amount) => {
      const last = known.get(wallet)
      if (last) last.amount -= amount
    },
  }
}
