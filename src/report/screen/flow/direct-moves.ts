import type { Address } from '../../../chain/hex.ts'
import { EVIDENCE, type Payment } from '../../chain/payment.ts'
import type { MarkedMove, Move } from './follow-shares.ts'

/** Payments that no transfer from the buyer to the merchant shows: out of an escrow, or over a router. */
export const INDIRECT_EVIDENCE = EVIDENCE.claim | EVIDENCE.capture | EVIDENCE.routed

export type IndirectPayment = Omit<Payment, 'timestamp' | 'fee' | 'facilitator'>

export type Indirect = {
  /** Of one merchant. */
  readonly payments: readonly IndirectPayment[]
  /** See `PaymentContracts`. */
  readonly custodians: ReadonlySet<Address>
}

/**
 * Transfers as if escrows did not exist: money in escrow is still its payer's, until it is claimed or captured.
 * Otherwise nobody would have paid what an escrow pays out, and a buyer that takes its own deposit back would have
 * received the money of others.
 */
export function toDirectMoves(moves: readonly Move[], { payments, custodians }: Indirect): readonly Move[] {
  const isHeld = ({ evidence }: IndirectPayment) => (evidence & (EVIDENCE.claim | EVIDENCE.capture)) !== 0
  const paid = payments.filter(isHeld).map(({ buyer, merchant, ...payment }): Move => {
    return { ...payment, sender: buyer, recipient: merchant }
  })
  const isDirect = ({ sender, recipient }: Move) => !custodians.has(sender) && !custodians.has(recipient)
  return [...moves.filter(isDirect), ...paid]
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
