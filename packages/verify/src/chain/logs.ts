import { type Block, toBlock, toBlockName } from '@tollbook/chain/blocks'
import { type Hex, parseAddress, parseQuantity, parseWord } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { NodeBehind, Overloaded, RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { InvalidAnswer } from '@tollbook/flow/failure'
import type { Announcing } from './contracts.ts'
import type { RangeSize } from './range-size.ts'

export type FoundTransaction = {
  readonly transaction: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Indices of the announcing logs in their block, ascending. */
  readonly logIndexes: readonly number[]
}

export type LogRange = {
  readonly firstBlock: number
  /** The first block after the range. */
  readonly endBlock: number
  readonly announcing: Announcing
}

export type FoundRange = {
  /** In chain order. */
  readonly transactions: readonly FoundTransaction[]
  /** The last block of the range, from the same response of the same node as the logs. */
  readonly last: Block
}

/** A read of a range failed, but a smaller range may succeed. */
export class RangeRefused extends Error {
  override readonly name = 'RangeRefused'
}

/** Nodes that truncate responses do so at round numbers; geth-based ones return an error instead. */
export const ROUND_NUMBER = 1_000
const METHOD_NOT_FOUND = -32601
/** Failures other than refusals shrink a range only this often before the node counts as down. */
const MAX_TIMEOUTS = 3

/**
 * Transactions that used an authorization, settled by an x402 proxy, or got paid by an escrow. A range that
 * the node rejects is halved, down to one block. Plain transfers, many times as many, are not fetched.
 * @throws RpcRefusal, Unreachable, NodeBehind or InvalidAnswer if even one block fails.
 */
export async function findTransactions(
  { rpc, range: size }: { readonly rpc: Rpc; readonly range: RangeSize },
  range: LogRange,
  signal: AbortSignal,
): Promise<FoundRange> {
  let timeouts = 0
  for (let endBlock = range.endBlock; ; ) {
    const blockCount = endBlock - range.firstBlock
    try {
      const found = await readRange(rpc, { ...range, endBlock }, signal)
      size.grow(blockCount)
      return found
    } catch (error) {
      if (error instanceof Overloaded) timeouts++
      if (blockCount === 1 || timeouts > MAX_TIMEOUTS || !isWorthHalving(error)) throw error
      size.shrink(blockCount)
      endBlock = range.firstBlock + Math.min(size.blocks, Math.floor(blockCount / 2))
    }
  }
}

/** Reads a whole range, in as many parts as the node requires. */
export async function findAllTransactions(
  node: { readonly rpc: Rpc; readonly range: RangeSize },
  range: LogRange,
  signal: AbortSignal,
): Promise<FoundRange> {
  const transactions: FoundTransaction[] = []
  for (let firstBlock = range.firstBlock; ; ) {
    const endBlock = Math.min(range.endBlock, firstBlock + node.range.blocks)
    const found = await findTransactions(node, { ...range, firstBlock, endBlock }, signal)
    transactions.push(...found.transactions)
    firstBlock = found.last.number + 1
    if (firstBlock >= range.endBlock) return { transactions, last: found.last }
  }
}

/** The error text is ignored: there are too many variants, and a wrong guess costs only a few calls. */
function isWorthHalving(error: unknown): boolean {
  if (error instanceof RpcRefusal) return error.code !== METHOD_NOT_FOUND
  return error instanceof Overloaded || error instanceof RangeRefused
}

async function readRange(rpc: Rpc, range: LogRange, signal: AbortSignal): Promise<FoundRange> {
  const { announcing } = range
  const lastBlock = toBlockName(range.endBlock - 1)
  const filter = {
    fromBlock: toBlockName(range.firstBlock),
    toBlock: lastBlock,
    address: [...new Set([...announcing.values()].flatMap((contracts) => [...contracts]))],
    topics: [[...announcing.keys()]],
  }
  // Logs and header are in one request, so that one node answers both even if the URL is a load balancer: a
  // lagging node would return the logs that it has, without an error.
  const [logs, header] = await rpc.batch(
    [
      { method: 'eth_getLogs', params: [filter] },
      { method: 'eth_getBlockByNumber', params: [lastBlock, false] },
    ],
    signal,
  )
  const last = toBlock(header)
  if (!last) throw new NodeBehind(`the chain RPC does not have block ${range.endBlock - 1} yet`)
  if (last.number !== range.endBlock - 1)
    throw new InvalidAnswer('the chain RPC returned another block than requested')
  if (!Array.isArray(logs)) throw new InvalidAnswer('the chain RPC did not return a list of logs')
  if (logs.length > 0 && logs.length % ROUND_NUMBER === 0 && range.endBlock - range.firstBlock > 1)
    throw new RangeRefused(`exactly ${logs.length} logs may be a truncated response`)
  return { transactions: groupLogs(logs, range), last }
}

/** Logs can come in any order, and twice. @throws InvalidAnswer for one that was not requested. */
function groupLogs(logs: readonly unknown[], range: LogRange): readonly FoundTransaction[] {
  const found = new Map<
    Hex,
    { transaction: Hex; blockNumber: number; blockHash: Hex; logIndexes: number[] }
  >()
  const owners = new Map<string, Hex>()
  for (const log of logs) {
    const read = toAnnouncement(log, range)
    if (!read) continue
    const { transaction, blockHash, blockNumber, logIndex } = read
    const place = `${blockNumber}:${logIndex}`
    // Some nodes have numbered logs within each transaction; payments are told apart by their place.
    if ((owners.get(place) ?? transaction) !== transaction)
      throw new InvalidAnswer('the chain RPC returned two logs with one index')
    owners.set(place, transaction)
    const known = found.get(transaction)
    if (!known) found.set(transaction, { transaction, blockNumber, blockHash, logIndexes: [logIndex] })
    else if (known.blockHash !== blockHash)
      throw new InvalidAnswer('the chain RPC returned one transaction in two blocks')
    else if (!known.logIndexes.includes(logIndex)) known.logIndexes.push(logIndex)
  }
  for (const { logIndexes } of found.values()) logIndexes.sort((a, b) => a - b)
  return [...found.values()].sort(
    (a, b) => a.blockNumber - b.blockNumber || (a.logIndexes[0] ?? 0) - (b.logIndexes[0] ?? 0),
  )
}

function toAnnouncement(value: unknown, { firstBlock, endBlock, announcing }: LogRange) {
  const log = Object(value) as Readonly<Record<string, unknown>>
  if (log.removed === true) return null
  const address = parseAddress(log.address, 'log')
  const blockNumber = parseQuantity(log.blockNumber, 'log')
  const [topic] = Array.isArray(log.topics) ? log.topics : []
  if (blockNumber < firstBlock || blockNumber >= endBlock)
    throw new InvalidAnswer('the chain RPC returned logs outside the range')
  // Some contracts emit the event of another: the filter is every address with every event.
  if (!announcing.has(topic) || ![...announcing.values()].some((contracts) => contracts.has(address)))
    throw new InvalidAnswer('the chain RPC returned logs that were not requested')
  return {
    transaction: parseWord(log.transactionHash, 'log'),
    blockHash: parseWord(log.blockHash, 'log'),
    blockNumber,
    logIndex: parseQuantity(log.logIndex, 'log'),
  }
}
