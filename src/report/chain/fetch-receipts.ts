import { randomInt } from 'node:crypto'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Receipts } from './bulk-receipts.ts'
import type { PaymentContracts } from './contracts.ts'
import type { FoundTransaction } from './logs.ts'
import { distrustWays, type ReceiptWays, readCheaply } from './receipt-ways.ts'
import { decodeReceipt, isSameReceipt, type Receipt } from './receipts.ts'

export type ReceiptSource = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  /** Absent: receipts are read one by one. */
  readonly ways?: ReceiptWays | undefined
}

/**
 * Fetches the receipts of transactions, in their order, as cheaply as the node allows. What the cheaper ways
 * leave open is read one by one, and so is a random one of what they returned: if the two versions differ,
 * only the receipts read one by one count, now and later.
 * @throws as `Rpc` and `decodeReceipt`.
 */
export async function fetchReceipts(
  { rpc, contracts, ways }: ReceiptSource,
  found: readonly FoundTransaction[],
  signal: AbortSignal,
): Promise<readonly Receipt[]> {
  const known: Receipts = ways ? await readCheaply({ rpc, contracts, ways, found }, signal) : new Map()
  const sample = known.size === 0 ? null : [...known.keys()][randomInt(known.size)]
  const open = found.filter(({ transaction }) => !known.has(transaction) || transaction === sample)
  const method = 'eth_getTransactionReceipt'
  const answers = await rpc.batch(
    open.map(({ transaction }) => ({ method, params: [transaction] })),
    signal,
  )
  const receipts = new Map(known)
  for (const [at, one] of open.entries()) {
    const receipt = decodeReceipt(answers[at], contracts, one)
    const other = known.get(one.transaction)
    if (ways && other && !isSameReceipt(other, receipt)) {
      distrustWays(ways)
      return fetchReceipts({ rpc, contracts, ways }, found, signal)
    }
    receipts.set(one.transaction, receipt)
  }
  return found.flatMap(({ transaction }) => receipts.get(transaction) ?? [])
}
