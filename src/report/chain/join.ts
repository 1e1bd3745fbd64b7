import type { Log } from './log.ts'
import { type Address, EVIDENCE, type Hex, type Payment } from './payment.ts'
import type { Receipt } from './receipts.ts'

export type Joined = {
  /** In the order of the chain. */
  readonly payments: readonly Payment[]
  /** Authorizations and settlements that no transfer of USDC belongs to. */
  readonly misses: number
}

/**
 * Joins each use of an EIP-3009 authorization, and each settlement of an x402 proxy, with the transfer of USDC
 * that it caused. Works log by log inside one transaction, so that batches of many payers come apart rightly;
 * each transfer is used once. A transfer of nothing is no payment and no miss.
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

/** @returns for each log why it is a payment, 0 when it is none. */
function joinLogs(logs: readonly Log[]): { readonly evidence: readonly number[]; readonly misses: number } {
  const evidence: number[] = new Array(logs.length).fill(0)
  const isFreeFrom = (at: number, payer: Hex): boolean => {
    const log = logs[at]
    return log?.kind === 'transfer' && log.payer === payer && evidence[at] === 0
  }

  // USDC marks the authorization as used and then transfers: the two logs are neighbours. First all neighbours,
  // or an authorization without one could take the transfer of the next.
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

/** An address stands in the last 20 of a word's 32 bytes. */
function toAddress(word: Hex): Address {
  return `0x${word.slice(-40)}`
}
