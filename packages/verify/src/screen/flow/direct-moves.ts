import type { Address } from '@tollbook/chain/hex'
import { ESCROW_EVIDENCE, EVIDENCE, type Payment } from '../../chain/payment.ts'
import type { MarkedMove, Move } from './follow-shares.ts'

/** A payment that no transfer from the buyer to the merchant shows: out of an escrow, or over a router. */
export type IndirectPayment = Omit<Payment, 'timestamp' | 'fee' | 'facilitator'>

export type Indirect = {
  /** Those that `isFollowedPayment` selects. */
  readonly payments: readonly IndirectPayment[]
  /** See `PaymentContracts`. */
  readonly custodians: ReadonlySet<Address>
}

/** Whose money is followed, and through which wallets. */
export type FollowedWallets = {
  readonly merchant: Address
  /** The merchant's wallet and those that it disclosed. */
  readonly origins: ReadonlySet<Address>
  readonly wallets: ReadonlySet<Address>
}

/**
 * Whether a payment counts for a trail: out of an escrow, if an origin or a wallet pays, or a wallet is paid; over a router,
 * if a wallet pays the merchant.
 */
export function isFollowedPayment(
  { buyer, merchant, evidence }: Pick<IndirectPayment, 'buyer' | 'merchant' | 'evidence'>,
  followed: FollowedWallets,
): boolean {
  const { origins, wallets } = followed
  if ((evidence & ESCROW_EVIDENCE) !== 0)
    return origins.has(buyer) || wallets.has(buyer) || wallets.has(merchant)
  return (evidence & EVIDENCE.routed) !== 0 && merchant === followed.merchant && wallets.has(buyer)
}

/**
 * Transfers as if escrows did not exist: money in escrow is still its payer's, until it is claimed or captured.
 * Otherwise nobody would have paid what an escrow pays out, and a buyer that takes its own deposit back would have
 * received the money of others.
 */
export function toDirectMoves(moves: readonly Move[], { payments, custodians }: Indirect): readonly Move[] {
  const escrowed = payments.filter(({ evidence }) => (evidence & ESCROW_EVIDENCE) !== 0)
  const paid = escrowed.map(({ buyer, merchant, ...payment }): Move => {
    return { ...payment, sender: buyer, recipient: merchant }
  })
  // Escrows of captures keep the money in a contract of each operator, which is no custodian.
  const payouts = new Set(paid.map(toPayout))
  const isDirect = (move: Move) =>
    !custodians.has(move.sender) && !custodians.has(move.recipient) && !payouts.has(toPayout(move))
  return [...moves.filter(isDirect), ...paid]
}

function toPayout({ transaction, recipient, amount }: Move): string {
  return `${transaction} ${recipient} ${amount}`
}

/**
 * Payments over routers as transfers of their buyers, with the share that was marked of what the buyer sent in the
 * transaction: a router mixes the money of everybody.
 */
export function toRoutedMoves(moves: readonly MarkedMove[], { payments }: Indirect): readonly MarkedMove[] {
  const routed = payments.filter(({ evidence }) => (evidence & EVIDENCE.routed) !== 0)
  const transactions = new Set(routed.map(({ transaction }) => transaction))
  const sent = Map.groupBy(
    moves.filter(({ transaction }) => transactions.has(transaction)),
    ({ transaction, sender }) => `${transaction} ${sender}`,
  )
  return routed.map((payment) => {
    const { transaction, buyer: sender, merchant: recipient, amount } = payment
    let [all, marked] = [0n, 0n]
    for (const move of sent.get(`${transaction} ${sender}`) ?? []) {
      all += move.amount
      marked += move.marked
    }
    return { ...payment, sender, recipient, marked: all === 0n ? 0n : (amount * marked) / all }
  })
}
