import type { Rpc } from '@tollbook/chain/rpc/rpc'
import type { Receipts } from './bulk-receipts.ts'
import type { PaymentContracts } from './contracts.ts'
import type { FoundTransaction } from './logs.ts'
import { distrustWays, type ReceiptWays, readCheaply } from './receipt-ways.ts'
import { decodeReceipt, isSameReceipt, type Receipt } from './receipts.ts'

/** Where receipts may be read before the nodes are queried, see chain/portals. */
export type PortalReader = {
  /** Receipts of transactions that the node found, from a portal; null if none is in use, or it failed. */
  read(found: readonly FoundTransaction[], signal: AbortSignal): Promise<PortalChunk | null>
}

export type PortalChunk = {
  readonly receipts: Receipts
  /** Reports whether the receipts agree with those that the node returned for a sample. */
  close(isSame: boolean): Promise<void>
}

export type ReceiptSource = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  /** Absent: receipts are read one by one. */
  readonly ways?: ReceiptWays | undefined
  /** Queried before the node; absent: none. */
  readonly portals?: PortalReader | undefined
}

/**
 * Fetches receipts, in order, from a portal or as cheaply as the node allows. One at random is read again by
 * itself; if it differs, only receipts read one by one count. @throws as `Rpc` and `decodeReceipt`.
 */
export async function fetchReceipts(
  source: ReceiptSource,
  found: readonly FoundTransaction[],
  signal: AbortSignal,
): Promise<readonly Receipt[]> {
  const chunk = (await source.portals?.read(found, signal)) ?? null
  if (!chunk) return fetchFromNode(source, found, signal)
  const [there, open] = [true, false].map((isThere) =>
    found.filter(({ transaction }) => chunk.receipts.has(transaction) === isThere),
  )
  const receipts = await fetchOpen(source, there ?? [], chunk.receipts, signal)
  await chunk.close(receipts !== null)
  if (!receipts) return fetchFromNode(source, found, signal)
  const all = [...receipts, ...(await fetchFromNode(source, open ?? [], signal))]
  const byHash = new Map(all.map((receipt) => [receipt.transaction, receipt]))
  return found.flatMap(({ transaction }) => byHash.get(transaction) ?? [])
}

async function fetchFromNode(
  source: ReceiptSource,
  found: readonly FoundTransaction[],
  signal: AbortSignal,
): Promise<readonly Receipt[]> {
  const { ways } = source
  if (ways) {
    const known = await readCheaply({ ...source, ways, found }, signal)
    const receipts = await fetchOpen(source, found, known, signal)
    if (receipts) return receipts
    distrustWays(ways)
  }
  return (await fetchOpen(source, found, new Map(), signal)) ?? []
}

/** Adds the receipts that are not known. @returns null if one that is known is another at the node. */
async function fetchOpen(
  { rpc, contracts }: ReceiptSource,
  found: readonly FoundTransaction[],
  known: Receipts,
  signal: AbortSignal,
): Promise<readonly Receipt[] | null> {
  const sample = known.size === 0 ? null : [...known.keys()][randomBelow(known.size)]
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
    if (other && !isSameReceipt(other, receipt)) return null
    receipts.set(one.transaction, receipt)
  }
  return found.flatMap(({ transaction }) => receipts.get(transaction) ?? [])
}

/** A number that no node can foresee, from 0 up to, not including, `end`. */
function randomBelow(end: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return random % end
}
