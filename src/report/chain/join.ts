import type { Address, Hex } from '../../chain/hex.ts'
import type { Log } from './log.ts'
import { EVIDENCE, type Payment } from './payment.ts'
import type { Receipt } from './receipts.ts'

export type Joined = {
  /** In chain order. */
  readonly payments: readonly Payment[]
  /** Authorizations and settlements without a matching USDC transfer. */
  readonly misses: number
}

/**
 * Matches each use of an EIP-3009 authorization, and each settlement of an x402 proxy, with the USDC transfer
 * that it caused. Works log by log within one transaction, so that batches of many payers are separated
 * correctly; each transfer is used once. A transfer of zero is neither a payment nor a miss.
 * @param timeOf block time of a receipt in epoch seconds.
 */
export function joinPayments(receipts: readonly Receipt[], timeOf: (receipt: Receipt) => number): Joined {
  const payments: Payment[] = []
  let misses = 0
  for (const receipt of receipts) {
    const { logs } = receipt
    const joined = joinLogs(logs)
    misses += joined.misses
    for (let at = 0; at < logs.length; at++) {
      const log = logs[at]
      const evidence = joined.evidence[at]
      if (!evidence || log?.kind !== 'transfer' || log.amount === 0n) continue
      payments.push({
        blockNumber: receipt.blockNumber,
        logIndex: log.logIndex,
        timestamp: timeOf(receipt),
        transaction: receipt.transaction,
        buyer: toAddress(log.payer),
        merchant: toAddress(log.payee),
        amount: log.amount,
        facilitator: receipt.sender,
        evidence,
      })
    }
  }
  return { payments, misses }
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

/** An address is the last 20 of a word's 32 bytes. */
function toAddress(word: Hex): Address {
  return `0x${word.slice(-40)}`
}
