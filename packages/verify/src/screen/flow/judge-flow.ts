import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { EVIDENCE } from '../../chain/payment.ts'
import { type Indirect, toDirectMoves, toRoutedMoves } from './direct-moves.ts'
import { followShares, type MarkedMove, type MoneyTrail, type Move, placeOf } from './follow-shares.ts'

/** From half on most of the money was the merchant's own. */
export const MIN_MARKED_PERCENT = 50
/** An independent customer has no reason to get even a tenth of its money from the merchant. */
export const MIN_LINKED_PERCENT = 10

export type MerchantFlow = {
  /** Places of transfers to the merchant that consist mostly of money that had left it. */
  readonly circular: ReadonlySet<string>
  /** Senders whose USDC of the window came mostly from the merchant. */
  readonly funded: ReadonlySet<Address>
  /** Senders of which at least a tenth of the USDC of the window, and of what they paid, came from the merchant. */
  readonly linked: ReadonlySet<Address>
}

/** The wallets through which the money of one merchant was followed, ascending. */
export type Followed = {
  readonly wallets: readonly Address[]
  /** Partners of these wallets that many people share; money is not followed through them. */
  readonly hubs: readonly Address[]
}

export const NOT_FOLLOWED: Followed = Object.freeze({ wallets: [], hubs: [] })

export const NO_FLOW: MerchantFlow = Object.freeze({
  circular: new Set<string>(),
  funded: new Set<Address>(),
  linked: new Set<Address>(),
})

/** Judges every transfer to a merchant, and every sender of one, by where the money came from. */
export function judgeFlow(merchant: Address, trail: MoneyTrail, indirect: Indirect): MerchantFlow {
  const moves = followShares({ ...trail, moves: toDirectMoves(trail.moves, indirect) })
  const routed = toRoutedMoves(moves, indirect)
  const routedPlaces = new Set(routed.map(placeOf))
  const direct = moves.filter(
    (move) => move.recipient === merchant && move.sender !== merchant && !routedPlaces.has(placeOf(move)),
  )
  const revenue = [...direct, ...routed]
  const isLent = findLent(trail, indirect)
  return {
    circular: new Set(
      revenue.filter((move) => isMost(move.marked, move.amount) || isLent(move)).map(placeOf),
    ),
    ...findFunded(revenue, { ...trail, moves }),
  }
}

/**
 * Money that the buyer received, or that others had deposited for it, and that the merchant passed on, all within one
 * transaction: only lent. Transfers to and from escrows count here, and so do payments of the merchant out of escrows: a
 * lender can lend, and be repaid, through them.
 */
function findLent({ origins, moves }: MoneyTrail, indirect: Indirect): (move: Move) => boolean {
  const { payments } = indirect
  const filled = new Set(
    payments.filter(({ evidence }) => (evidence & EVIDENCE.filledByOthers) !== 0).map(placeOf),
  )
  const received = new Map<string, AtomicUsdc>()
  for (const { transaction, sender, recipient, amount } of moves)
    if (sender !== recipient) add(received, `${transaction} ${recipient}`, amount)
  // A deposit and a claim of it in one transaction pass the money on once.
  const passedOn = [moves, toDirectMoves(moves, indirect)].map((each) => {
    const sums = new Map<Hex, AtomicUsdc>()
    for (const { transaction, sender, recipient, amount } of each)
      if (origins.has(sender) && sender !== recipient) add(sums, transaction, amount)
    return sums
  })
  const isFilled = (move: Move) =>
    filled.has(placeOf(move)) || isMost(received.get(`${move.transaction} ${move.sender}`) ?? 0n, move.amount)
  return (move) =>
    isFilled(move) && passedOn.some((sums) => isMost(sums.get(move.transaction) ?? 0n, move.amount))
}

/** Senders that got mostly marked money, at least half of what they sent; and those with some. */
function findFunded(
  revenue: readonly MarkedMove[],
  { origins, moves }: { readonly origins: MoneyTrail['origins']; readonly moves: readonly MarkedMove[] },
): Pick<MerchantFlow, 'funded' | 'linked'> {
  const paid = new Map<Address, AtomicUsdc>()
  for (const { sender, amount } of revenue) add(paid, sender, amount)
  const received = new Map<Address, AtomicUsdc>()
  const marked = new Map<Address, AtomicUsdc>()
  for (const move of moves) {
    if (move.sender === move.recipient || !paid.has(move.recipient)) continue
    add(received, move.recipient, move.amount)
    add(marked, move.recipient, move.marked)
  }
  const shares = [...paid]
    .filter(([wallet]) => !origins.has(wallet))
    .map(([wallet, sum]) => ({
      wallet,
      sum,
      own: marked.get(wallet) ?? 0n,
      all: received.get(wallet) ?? 0n,
    }))
  const funded = shares.filter(({ own, sum, all }) => isMost(own, sum) && isMost(own, all))
  // Otherwise a millionth of a dollar would link a customer that received nothing else in the window.
  const linked = shares.filter(
    ({ own, sum, all }) => isShare(own, sum, MIN_LINKED_PERCENT) && isShare(own, all, MIN_LINKED_PERCENT),
  )
  return {
    funded: new Set(funded.map(({ wallet }) => wallet)),
    linked: new Set(linked.map(({ wallet }) => wallet)),
  }
}

function isMost(part: AtomicUsdc, whole: AtomicUsdc): boolean {
  return isShare(part, whole, MIN_MARKED_PERCENT)
}

function isShare(part: AtomicUsdc, whole: AtomicUsdc, percent: number): boolean {
  return part > 0n && part * 100n >= whole * BigInt(percent)
}

function add<Key>(sums: Map<Key, AtomicUsdc>, key: Key, amount: AtomicUsdc): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}
