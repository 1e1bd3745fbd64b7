import type { Address, Hex } from '../../chain/hex.ts'
import { addressOf } from '../../chain/words.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { EscrowTerms } from './escrow-terms.ts'
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
    const joined = joinLogs(logs)
    misses += joined.misses
    const timestamp = context.timeOf(receipt)
    const isLoose = (log: Log, at: number) => log.kind === 'transfer' && joined.evidence[at] === 0
    // Nearly every transaction contains its payments alone, so nothing can have been passed on.
    const routes = logs.some(isLoose) ? createRoutes(logs, joined.evidence, context) : null
    const found: Payment[] = []
    for (let at = 0; at < logs.length; at++) {
      const log = logs[at]
      const evidence = joined.evidence[at]
      if (log?.kind === 'claim' || log?.kind === 'capture') {
        const terms = context.terms.get(log.id)
        if (!terms) misses++
        else found.push(toPayment(receipt, timestamp, { ...terms, ...log, evidence: EVIDENCE[log.kind] }))
      }
      if (!evidence || log?.kind !== 'transfer' || log.amount === 0n) continue
      const payer = addressOf(log.payer)
      if (context.custodians.has(addressOf(log.payee))) continue
      for (const { transfer, isRouted } of routes?.destinationsOf(at) ?? [
        { transfer: log, isRouted: false },
      ]) {
        const { logIndex, amount } = transfer
        const receiver = addressOf(transfer.payee)
        const reasons = isRouted ? evidence | EVIDENCE.routed : evidence
        found.push(toPayment(receipt, timestamp, { logIndex, payer, receiver, amount, evidence: reasons }))
      }
    }
    // A route can end after the next payment of a batch.
    if (routes) found.sort((a, b) => a.logIndex - b.logIndex)
    for (const payment of found) payments.push(payment)
  }
  return { payments, misses }
}

type Found = {
  readonly logIndex: number
  readonly payer: Address
  readonly receiver: Address
  readonly amount: AtomicUsdc
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
