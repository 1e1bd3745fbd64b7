import { parseUsd } from '@tollbook/chain/usdc'
import type { EvidenceLine } from '@tollbook/report/evidence/evidence-stream'
import type { Transfer } from '../crash/transfers.ts'
import type { Purchase } from './purchase.ts'

/** The same payments as recorded by four books, all in micro-USDC. */
export type Books = {
  readonly purchases: readonly Purchase[]
  /** Amounts that the sellers' wallets received on the chain. */
  readonly transfers: readonly Transfer[]
  /** Charges in the sellers' ledger, by nonce in lower case. */
  readonly charges: ReadonlyMap<string, { readonly state: string; readonly charge: bigint }>
  /** Payments listed in the published reports. */
  readonly reported: readonly EvidenceLine[]
}

/** Returns each discrepancy in human-readable form; empty if all four books agree to the micro-dollar. */
export function findDifferences({ purchases, transfers, charges, reported }: Books): readonly string[] {
  const found: string[] = []
  const byNonce = Map.groupBy(transfers, ({ nonce }) => nonce?.toLowerCase() ?? 'none')
  const signed = new Map(purchases.flatMap((one) => (one.nonce ? [[one.nonce.toLowerCase(), one]] : [])))
  for (const [nonce, paid] of byNonce) {
    if (paid.length > 1) found.push(`charged ${paid.length} times: ${nonce}`)
    if (!signed.has(nonce)) found.push(`a transfer that no call explains: ${paid[0]?.transaction}`)
  }
  for (const [nonce, purchase] of signed)
    found.push(...judge(purchase, byNonce.get(nonce)?.[0], charges.get(nonce)))
  const lines = Map.groupBy(reported, ({ transaction }) => transaction.toLowerCase())
  for (const [transaction, paid] of Map.groupBy(transfers, (one) => one.transaction.toLowerCase())) {
    const amounts = (lines.get(transaction) ?? []).map((line) => toMicro(line.amount_usd))
    if (String(amounts.sort(compare)) !== String(paid.map(({ amount }) => amount).sort(compare)))
      found.push(`the report has another sum for ${transaction}`)
    lines.delete(transaction)
  }
  for (const transaction of lines.keys())
    found.push(`the report names a payment that is none: ${transaction}`)
  return found
}

function judge(
  { endpointId, max, scheme, outcome, payer }: Purchase,
  transfer: Transfer | undefined,
  row: { readonly state: string; readonly charge: bigint } | undefined,
): string[] {
  const found: string[] = []
  const isAnswered = outcome.kind === 'answered'
  if (transfer && !isAnswered) found.push(`charged without an answer (${JSON.stringify(outcome)})`)
  if (isAnswered && outcome.fault !== null) found.push(`answered wrongly: ${outcome.fault}`)
  if (!transfer && isAnswered) found.push('answered without a charge')
  if (transfer && (transfer.amount > max || (scheme === 'exact' && transfer.amount !== max)))
    found.push(`charged ${transfer.amount} of ${max}`)
  if (transfer && transfer.payer !== payer) found.push('someone else was charged')
  const receipt = isAnswered ? outcome.receipt : null
  if (receipt && (receipt.transaction !== transfer?.transaction || receipt.amount !== transfer.amount))
    found.push('the receipt names another charge')
  const isSettled = row?.state === 'settled' || row?.state === 'settled-unfinished'
  if (isSettled !== (transfer !== undefined)) found.push(`the ledger says ${row?.state ?? 'nothing'}`)
  if (isSettled && transfer && row.charge !== transfer.amount) found.push('the ledger names another charge')
  return found.map((words) => `${endpointId} by ${scheme}: ${words}`)
}

/** A report writes dollars exactly, with up to six decimals. */
function toMicro(usd: number): bigint {
  return parseUsd(usd.toFixed(6))
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other)
}
