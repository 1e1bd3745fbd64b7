import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { addressOf } from '@tollbook/chain/words'
import { type EscrowTerms, termsKey } from './escrow-terms.ts'
import type { Log } from './log.ts'
import { EVIDENCE, type Payment } from './payment.ts'
import type { Receipt } from './receipts.ts'
import { createRoutes, type Intermediaries } from './routes.ts'

export type Joined = {
  /** In chain order. */
  readonly payments: readonly Payment[]
  /** Authorizations and settlements without a matching USDC transfer; claims and captures without terms in USDC. */
  readonly misses: number
}

/** What turns logs into payments, apart from the logs. */
export type JoinContext = Intermediaries & {
  /** Block time of a receipt in epoch seconds. */
  timeOf(receipt: Receipt): number
  /** Terms of the claims and captures in the receipts, see `readEscrowTerms`. */
  readonly terms: EscrowTerms
}

/**
 * Matches each use of an EIP-3009 authorization, and each settlement of an x402 proxy, with the USDC transfer
 * that it caused. Works log by log within one transaction, so that batches of many payers are separated
 * correctly; each transfer is used once. A transfer of zero is neither a payment nor a miss.
 *
 * Payments through a router belong to the last recipients. A deposit into an escrow is no payment; what is
 * claimed or captured from it is.
 */
export function joinPayments(receipts: readonly Receipt[], context: JoinContext): Joined {
  const payments: Payment[] = []
  let misses = 0
  for (const receipt of receipts) {
    const { logs } = receipt
    const { evidence, misses: unmatched } = joinLogs(logs)
    misses += unmatched
    const timestamp = context.timeOf(receipt)
    const routes = hasLooseTransfer(logs, evidence) ? createRoutes(logs, evidence, context) : null
    const first = payments.length
    for (let at = 0; at < logs.length; at++) {
      const log = logs[at]
      const reasons = evidence[at] ?? 0
      if (log?.kind === 'transfer') {
        if (reasons === 0 || log.amount === 0n) continue
        const payer = addressOf(log.payer)
        const receiver = addressOf(log.payee)
        if (context.custodians.has(receiver)) continue
        if (routes) payments.push(...joinRoute(receipt, timestamp, { routes, at, payer, reasons }))
        else
          payments.push(
            toPayment(receipt, timestamp, {
              logIndex: log.logIndex,
              payer,
              receiver,
              amount: log.amount,
              evidence: reasons,
            }),
          )
      } else if (log?.kind === 'claim' || log?.kind === 'capture') {
        const terms = context.terms.get(termsKey(receipt.transaction, log.id))
        if (!terms) misses++
        else {
          const filled = isFilledByOthers(logs.slice(0, at), { ...terms, amount: log.amount }, context)
          const reasons = EVIDENCE[log.kind] | (filled ? EVIDENCE.filledByOthers : 0)
          payments.push(toPayment(receipt, timestamp, { ...terms, ...log, evidence: reasons }))
        }
      }
    }
    // A route can end after the next payment of a batch.
    if (routes) payments.push(...payments.splice(first).sort((a, b) => a.logIndex - b.logIndex))
  }
  return { payments, misses }
}

/** Whether wallets other than the payer, the receiver and escrows moved at least half of a claim before it. */
function isFilledByOthers(
  before: readonly Log[],
  { payer, receiver, amount }: Pick<Found, 'payer' | 'receiver' | 'amount'>,
  { custodians }: Intermediaries,
): boolean {
  let moved = 0n
  for (const log of before) {
    if (log.kind !== 'transfer') continue
    const sender = addressOf(log.payer)
    const isOwn = sender === payer || sender === receiver || addressOf(log.payee) === receiver
    if (!isOwn && !custodians.has(sender)) moved += log.amount
  }
  return moved > 0n && 2n * moved >= amount
}

/** Nearly every transaction contains its payments alone, so nothing can have been passed on. */
function hasLooseTransfer(logs: readonly Log[], evidence: readonly number[]): boolean {
  for (let at = 0; at < logs.length; at++)
    if (logs[at]?.kind === 'transfer' && evidence[at] === 0) return true
  return false
}

function joinRoute(
  receipt: Receipt,
  timestamp: number,
  of: {
    readonly routes: ReturnType<typeof createRoutes>
    readonly at: number
    readonly payer: Address
    readonly reasons: number
  },
): readonly Payment[] {
  return of.routes.destinationsOf(of.at).map(({ transfer, isRouted, fee }) => {
    const evidence = isRouted ? of.reasons | EVIDENCE.routed : of.reasons
    const { logIndex, amount } = transfer
    const receiver = addressOf(transfer.payee)
    return toPayment(receipt, timestamp, { logIndex, payer: of.payer, receiver, amount, fee, evidence })
  })
}

type Found = {
  readonly logIndex: number
  readonly payer: Address
  readonly receiver: Address
  readonly amount: AtomicUsdc
  readonly fee?: AtomicUsdc
  readonly evidence: number
}

function toPayment(receipt: Receipt, timestamp: number, found: Found): Payment {
  return {
    blockNumber: receipt.blockNumber,
    logIndex: found.logIndex,
    timestamp,
    transaction: receipt.transaction,
    buyer: found.payer,
    merchant: found.receiver,
    amount: found.amount,
    ...(found.fee && { fee: found.fee }),
    facilitator: receipt.sender,
    evidence: found.evidence,
  }
}

/** @returns for each log the reasons why it is a payment, 0 if it is not. */
function joinLogs(logs: readonly Log[]): { readonly evidence: readonly number[]; readonly misses: number } {
  const evidence: number[] = new Array(logs.length).fill(0)
  const isFreeFrom = (at: number, payer: Hex): boolean => {
    const log = logs[at]
    return log?.kind === 'transfer' && log.payer === payer && evidence[at] === 0
  }

  // USDC marks the authorization as used and then transfers, so the two logs are adjacent. Adjacent pairs are
  // matched first; otherwise an authorization without a transfer could take the next one's.
  const lonely: { readonly at: number; readonly payer: Hex }[] = []
  for (const [at, log] of logs.entries()) {
    if (log.kind !== 'authorization used') continue
    if (isFreeFrom(at + 1, log.payer)) evidence[at + 1] = EVIDENCE.authorizationUsed
    else lonely.push({ at, payer: log.payer })
  }
  let misses = 0
  for (const { at, payer } of lonely) {
    const later = logs.findIndex((_, index) => index > at && isFreeFrom(index, payer))
    if (later === -1) misses++
    else evidence[later] = EVIDENCE.authorizationUsed
  }

  // A proxy settles any token: the last transfer before its event must be one of USDC.
  for (const [at, log] of logs.entries()) {
    if (log.kind !== 'settlement') continue
    const last = logs.findLastIndex((log, index) => index < at && isAnyTransfer(log))
    if (logs[last]?.kind === 'transfer' && evidence[last] === 0) evidence[last] = EVIDENCE.permit2Proxy
    else misses++
  }
  return { evidence, misses }
}

function isAnyTransfer({ kind }: Log): boolean {
  return kind === 'transfer' || kind === 'transfer of another token'
}
