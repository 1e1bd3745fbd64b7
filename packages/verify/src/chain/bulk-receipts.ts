import { toBlock, toBlockName } from '@tollbook/chain/blocks'
import { type Hex, parseAddress } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { TOPIC } from '@tollbook/chain/topics'
import { InvalidAnswer, RetryableError } from '@tollbook/flow/failure'
import type { PaymentContracts } from './contracts.ts'
import { decodeLog, type Log } from './log.ts'
import { type FoundTransaction, ROUND_NUMBER } from './logs.ts'
import { type BlockRange, readInPieces } from './pieces.ts'
import type { RangeSize } from './range-size.ts'
import { buildReceipt, decodeReceipt, type Receipt } from './receipts.ts'

/** Receipts by transaction. What a way of reading leaves open is missing, and must be read in another way. */
export type Receipts = ReadonlyMap<Hex, Receipt>

export type BulkQuery = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  readonly found: readonly FoundTransaction[]
  /** Range size for logs of USDC. */
  readonly range: RangeSize
}

/** What one read returned, and its size, from which the next is planned. */
export type BulkRead = {
  readonly receipts: Receipts
  /** JSON of one block, in bytes. */
  readonly blockBytes: number
  /** Logs of USDC per block; 0 if none were requested. */
  readonly logsPerBlock: number
}

/** Reads all receipts of each block; leaves open the blocks that lack logs. @throws as `Rpc`. */
export async function readBlockReceipts(
  { rpc, contracts, found }: BulkQuery,
  signal: AbortSignal,
): Promise<BulkRead> {
  const method = 'eth_getBlockReceipts'
  const blocks = numbersOf(found).map((number) => ({ method, params: [toBlockName(number)] }))
  const answers = await rpc.batch(blocks, signal)
  const wanted = new Map<unknown, FoundTransaction>(found.map((one) => [one.transaction, one]))
  const receipts = new Map<Hex, Receipt>()
  for (const answer of answers) {
    if (!Array.isArray(answer) || !hasAllLogs(answer)) continue
    for (const raw of answer) {
      const transaction = wanted.get(Object(raw).transactionHash)
      const receipt = transaction && unlessDoubtful(() => decodeReceipt(raw, contracts, transaction))
      if (receipt) receipts.set(receipt.transaction, receipt)
    }
  }
  return { receipts, blockBytes: sizeOf(answers[0]), logsPerBlock: 0 }
}

/**
 * Reads the logs of USDC by range, and the senders from the blocks. Leaves open transactions that announce a
 * payment by another event or whose logs may be incomplete. @throws as `Rpc`.
 */
export async function readUsdcLogs(query: BulkQuery, signal: AbortSignal): Promise<BulkRead> {
  const { rpc, contracts, found } = query
  const numbers = numbersOf(found)
  const method = 'eth_getBlockByNumber'
  const asking = rpc.batch(
    numbers.map((number) => ({ method, params: [toBlockName(number), true] })),
    signal,
  )
  asking.catch(() => {})
  const range = { firstBlock: numbers[0] ?? 0, endBlock: (numbers.at(-1) ?? -1) + 1 }
  const wanted = new Set<unknown>(found.map(({ transaction }) => transaction))
  const logsOf = new Map<unknown, Log[]>()
  let count = 0
  for await (const some of readInPieces(range, query.range, (part) => readRange(query, part, signal))) {
    count += some.length
    for (const log of some) {
      const { transactionHash } = Object(log)
      if (!wanted.has(transactionHash)) continue
      const known = logsOf.get(transactionHash)
      if (known) known.push(decodeLog(log, contracts))
      else logsOf.set(transactionHash, [decodeLog(log, contracts)])
    }
  }
  const answers = await asking
  const blocks = new Map(answers.map((answer, at) => [numbers[at], readSenders(answer)]))
  const receipts = new Map<Hex, Receipt>()
  for (const one of found) {
    const logs = logsOf.get(one.transaction) ?? []
    const block = blocks.get(one.blockNumber)
    const sender = block?.senders.get(one.transaction)
    if (!block || sender === undefined || !isWhole(logs, one)) continue
    const { blockHash, toldTimestamp } = block
    const { transaction, blockNumber } = one
    const parts = { transaction, blockNumber, blockHash, toldTimestamp, logs }
    const receipt = unlessDoubtful(() =>
      buildReceipt({ ...parts, sender: parseAddress(sender, 'transaction') }, one),
    )
    if (receipt) receipts.set(transaction, receipt)
  }
  return {
    receipts,
    blockBytes: sizeOf(answers[0]),
    logsPerBlock: count / (range.endBlock - range.firstBlock),
  }
}

/** The logs of a block are numbered from 0, so a gap is a missing log or receipt. */
function hasAllLogs(receipts: readonly unknown[]): boolean {
  const indexes = new Set<number>()
  for (const receipt of receipts) {
    const { logs } = Object(receipt) as { readonly logs?: unknown }
    for (const log of Array.isArray(logs) ? logs : []) indexes.add(Number(Object(log).logIndex))
  }
  for (let index = 0; index < indexes.size; index++) if (!indexes.has(index)) return false
  return true
}

async function readRange(
  { rpc, contracts }: BulkQuery,
  { firstBlock, endBlock }: BlockRange,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const filter = {
    fromBlock: toBlockName(firstBlock),
    toBlock: toBlockName(endBlock - 1),
    address: contracts.usdc,
    topics: [[TOPIC.authorizationUsed, TOPIC.transfer]],
  }
  const logs = await rpc.call('eth_getLogs', [filter], signal)
  if (!Array.isArray(logs)) throw new InvalidAnswer('the chain RPC did not return a list of logs')
  // Probably truncated, see `findTransactions`; its transactions stay open.
  if (logs.length > 0 && logs.length % ROUND_NUMBER === 0) return []
  return logs.filter((log) => Object(log).removed !== true)
}

function readSenders(answer: unknown) {
  const block = toBlock(answer)
  const { transactions } = Object(answer) as Readonly<Record<string, unknown>>
  if (!block || !Array.isArray(transactions)) return null
  const senders = new Map<unknown, unknown>(transactions.map((one) => [Object(one).hash, Object(one).from]))
  return { blockHash: block.hash, toldTimestamp: block.timestamp, senders }
}

/** Each announcement is an authorization with its transfer in the next log, as USDC emits them. */
function isWhole(logs: readonly Log[], { logIndexes }: FoundTransaction): boolean {
  const at = new Map(logs.map((log) => [log.logIndex, log]))
  const authorizations = logs.filter(({ kind }) => kind === 'authorization used')
  return (
    at.size === logs.length &&
    logIndexes.every((index) => at.get(index)?.kind === 'authorization used') &&
    authorizations.every(({ logIndex }) => at.get(logIndex + 1)?.kind === 'transfer')
  )
}

/** A receipt that is malformed, or disagrees with what was found, is read again, alone, before that counts. */
function unlessDoubtful(decode: () => Receipt): Receipt | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof InvalidAnswer || error instanceof RetryableError) return null
    throw error
  }
}

function numbersOf(found: readonly FoundTransaction[]): readonly number[] {
  return [...new Set(found.map(({ blockNumber }) => blockNumber))]
}

function sizeOf(answer: unknown): number {
  return JSON.stringify(answer ?? null).length
}
