import { type PaymentContracts, TOPIC } from './contracts.ts'
import { type Address, EVIDENCE, type Hex, type Payment } from './payment.ts'
import { isTokenTransfer, type Log, type Receipt } from './receipts.ts'

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
 */
export function joinPayments(receipts: readonly Receipt[], contracts: PaymentContracts): Joined {
  const payments: Payment[] = []
  let misses = 0
  for (const receipt of receipts) {
    const joined = joinReceipt(receipt, contracts)
    misses += joined.misses
    // Nearly every transaction holds one payment, for which nothing has to be sorted.
    if (joined.transfers.length > 1) joined.transfers.sort((a, b) => a.log.logIndex - b.log.logIndex)
    for (const { log, evidence } of joined.transfers) {
      const payment = toPayment(receipt, log, evidence)
      if (payment.amount > 0n) payments.push(payment)
    }
  }
  return { payments, misses }
}

type JoinedTransfer = { readonly log: Log; readonly evidence: number }

function joinReceipt(receipt: Receipt, { usdc, proxies }: PaymentContracts) {
  const logs = inOrder(receipt.logs)
  const used = new Set<Log>()
  const transfers: JoinedTransfer[] = []
  let misses = 0
  const join = (log: Log | undefined, evidence: number) => {
    if (log) {
      used.add(log)
      transfers.push({ log, evidence })
    } else misses++
  }

  const isFree = (log: Log | undefined): log is Log =>
    log !== undefined && log.address === usdc && isTokenTransfer(log) && !used.has(log)
  const isFreeFrom = (log: Log | undefined, payer: Address): log is Log =>
    isFree(log) && toAddress(log.topics[1]) === payer

  // USDC marks the authorization as used and then transfers: the two logs are neighbours. First all neighbours,
  // or an authorization without one could take the transfer of the next.
  const lonely: { readonly at: number; readonly payer: Address }[] = []
  for (const [at, log] of logs.entries()) {
    if (log.address !== usdc || log.topics[0] !== TOPIC.authorizationUsed) continue
    const payer = toAddress(log.topics[1])
    const next = logs[at + 1]
    if (isFreeFrom(next, payer)) join(next, EVIDENCE.authorizationUsed)
    else lonely.push({ at, payer })
  }
  for (const { at, payer } of lonely)
    join(
      logs.slice(at + 1).find((log) => isFreeFrom(log, payer)),
      EVIDENCE.authorizationUsed,
    )

  // A proxy settles any token: the last transfer before its event must be one of USDC.
  for (const [at, log] of logs.entries()) {
    if (!proxies.has(log.address) || !isSettlement(log)) continue
    const last = logs.slice(0, at).findLast(isTokenTransfer)
    join(isFree(last) ? last : undefined, EVIDENCE.permit2Proxy)
  }
  return { transfers, misses }
}

function inOrder(logs: readonly Log[]): readonly Log[] {
  const isInOrder = logs.every((log, at) => at === 0 || (logs[at - 1]?.logIndex ?? 0) < log.logIndex)
  return isInOrder ? logs : logs.toSorted((a, b) => a.logIndex - b.logIndex)
}

function isSettlement(log: Log): boolean {
  return log.topics[0] === TOPIC.settled || log.topics[0] === TOPIC.settledWithPermit
}

function toPayment(receipt: Receipt, log: Log, evidence: number): Payment {
  return {
    blockNumber: receipt.blockNumber,
    logIndex: log.logIndex,
    timestamp: receipt.timestamp,
    transaction: receipt.transaction,
    buyer: toAddress(log.topics[1]),
    merchant: toAddress(log.topics[2]),
    amount: BigInt(log.data),
    facilitator: receipt.sender,
    evidence,
  }
}

/** An address stands in the last 20 of a topic's 32 bytes. */
function toAddress(topic: Hex | undefined): Address {
  return `0x${(topic ?? '').slice(-40)}`
}
