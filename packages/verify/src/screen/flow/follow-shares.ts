import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Transfer } from '../../chain/transfer.ts'

/** A transfer of USDC above zero, whether it is a payment or not. */
export type Move = Omit<Transfer, 'timestamp'>

export type MoneyTrail = {
  /** The merchant's wallet and those that it disclosed. Whatever leaves them is marked. */
  readonly origins: ReadonlySet<Address>
  /** Transfers of a window in any order; complete in both directions for every wallet but origins and hubs. */
  readonly moves: readonly Move[]
  /** Wallets through which money is not followed, because too many people share them: exchanges, bridges. */
  readonly hubs: ReadonlySet<Address>
}

/** A transfer, and which part of it had left an origin. */
export type MarkedMove = Move & { readonly marked: AtomicUsdc }

/** Identifies a transfer on its chain. */
export function placeOf({ blockNumber, logIndex }: Pick<Move, 'blockNumber' | 'logIndex'>): string {
  return `${blockNumber}:${logIndex}`
}

type Purse = { balance: AtomicUsdc; marked: AtomicUsdc }

/**
 * Follows money that left a merchant, in the order of the chain: a wallet passes on marked and other money in
 * the proportion in which it holds them. Mixing dilutes the mark, which is lost only in wallets that are not followed.
 *
 * What a wallet held before the window is the minimum that explains its transfers. It counts as marked as far
 * as marked money is in the wallet at the end: whether the money is returned before or after it is paid makes
 * no difference.
 */
export function followShares(trail: MoneyTrail): readonly MarkedMove[] {
  const ordered = trail.moves.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  const opening = findOpeningBalances(ordered)
  const first = pass(ordered, trail, (wallet) => ({ balance: opening.get(wallet) ?? 0n, marked: 0n }))
  const second = pass(ordered, trail, (wallet) => {
    const balance = opening.get(wallet) ?? 0n
    const returned = first.purses.get(wallet)?.marked ?? 0n
    return { balance, marked: returned < balance ? returned : balance }
  })
  return second.moves
}

/** The minimum that each wallet must have held before the first transfer. */
function findOpeningBalances(ordered: readonly Move[]): ReadonlyMap<Address, AtomicUsdc> {
  const sums = new Map<Address, AtomicUsdc>()
  const opening = new Map<Address, AtomicUsdc>()
  for (const { sender, recipient, amount } of ordered) {
    if (sender === recipient) continue
    const left = (sums.get(sender) ?? 0n) - amount
    sums.set(sender, left)
    if (-left > (opening.get(sender) ?? 0n)) opening.set(sender, -left)
    sums.set(recipient, (sums.get(recipient) ?? 0n) + amount)
  }
  return opening
}

function pass(ordered: readonly Move[], { origins, hubs }: MoneyTrail, open: (wallet: Address) => Purse) {
  const purses = new Map<Address, Purse>()
  const purseOf = (wallet: Address) => {
    const purse = purses.get(wallet) ?? open(wallet)
    purses.set(wallet, purse)
    return purse
  }
  const moves = ordered.map((move): MarkedMove => {
    const { sender, recipient, amount } = move
    if (sender === recipient) return { ...move, marked: 0n }
    const marked = origins.has(sender) ? amount : hubs.has(sender) ? 0n : take(purseOf(sender), amount)
    if (!origins.has(recipient) && !hubs.has(recipient)) {
      const purse = purseOf(recipient)
      purse.balance += amount
      purse.marked += marked
    }
    return { ...move, marked }
  })
  return { moves, purses }
}

function take(purse: Purse, amount: AtomicUsdc): AtomicUsdc {
  if (purse.balance === 0n) return 0n
  const marked = (purse.marked * amount) / purse.balance
  purse.balance -= amount
  purse.marked -= marked
  return marked
}
