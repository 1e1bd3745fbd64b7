import { Overloaded, RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { InvalidAnswer } from '@tollbook/flow/failure'
import {
  type BulkQuery,
  type BulkRead,
  type Receipts,
  readBlockReceipts,
  readUsdcLogs,
} from './bulk-receipts.ts'
import type { FoundTransaction } from './logs.ts'
import { createRangeSize, type RangeSize } from './range-size.ts'

/** Of a block: all of its receipts; or its transactions, with the logs of USDC of a whole range. */
const WAYS = { blocks: readBlockReceipts, logs: readUsdcLogs } as const
type Way = keyof typeof WAYS

/** What is known of a node's ways to read many receipts at once. */
export type ReceiptWays = {
  readonly range: RangeSize
  /** Sizes as last read; null once the node refused the way; absent before it was tried. */
  readonly sizes: { [Name in Way]?: Pick<BulkRead, 'blockBytes' | 'logsPerBlock'> | null }
}

/** A request costs as much as this many bytes. Chosen: 25 requests per second, over 20 Mbit/s. */
const BYTES_PER_REQUEST = 100_000
/** Of a transaction with two logs: its fields, 256 bytes of bloom filter in hex, and the logs. */
const RECEIPT_BYTES = 2_400
const LOG_BYTES = 650
const COST_OF_RECEIPT = 1 + RECEIPT_BYTES / BYTES_PER_REQUEST

type Plan = { readonly way: Way; readonly found: readonly FoundTransaction[]; readonly saved: number }

export function createReceiptWays(): ReceiptWays {
  return { range: createRangeSize(), sizes: {} }
}

/** From now on, receipts are read one by one. */
export function distrustWays({ sizes }: ReceiptWays): void {
  sizes.blocks = null
  sizes.logs = null
}

/**
 * Reads receipts in bulk where that costs less, by the cheapest way that the node supports. Each is tried
 * with one block, and not used again if refused or mostly open. @throws RateLimited, NodeBehind or
 * Unreachable.
 */
export async function readCheaply(
  query: Omit<BulkQuery, 'range'> & { readonly ways: ReceiptWays },
  signal: AbortSignal,
): Promise<Receipts> {
  const { ways } = query
  const read = async (way: Way, found: readonly FoundTransaction[]): Promise<Receipts> => {
    try {
      const { receipts, ...sizes } = await WAYS[way]({ ...query, found, range: ways.range }, signal)
      // With a partial node, most transactions would be read twice.
      ways.sizes[way] = 2 * receipts.size < found.length ? null : sizes
      return receipts
    } catch (error) {
      const isRefused =
        error instanceof RpcRefusal || error instanceof Overloaded || error instanceof InvalidAnswer
      if (!isRefused) throw error
      ways.sizes[way] = null
      return new Map()
    }
  }
  const blocks = [...Map.groupBy(query.found, ({ blockNumber }) => blockNumber).values()]
  const densest = blocks.reduce((most, one) => (one.length > most.length ? one : most), [])
  if (densest.length < 2) return new Map()
  for (const way of ['blocks', 'logs'] as const) if (ways.sizes[way] === undefined) await read(way, densest)
  const [best] = [planBlocks(ways, blocks), planLogs(ways, blocks)].sort((a, b) => b.saved - a.saved)
  return best && best.saved > 0 ? read(best.way, best.found) : new Map()
}

function planBlocks({ sizes }: ReceiptWays, blocks: readonly (readonly FoundTransaction[])[]): Plan {
  return { way: 'blocks', ...chooseBlocks(sizes.blocks, blocks) }
}

/** The range of logs includes the blocks between the chosen ones. */
function planLogs({ sizes, range }: ReceiptWays, blocks: readonly (readonly FoundTransaction[])[]): Plan {
  const { found, saved } = chooseBlocks(sizes.logs, blocks)
  const span = (found.at(-1)?.blockNumber ?? 0) - (found[0]?.blockNumber ?? 0) + 1
  const bytes = span * (sizes.logs?.logsPerBlock ?? 0) * LOG_BYTES
  return { way: 'logs', found, saved: saved - Math.ceil(span / range.blocks) - bytes / BYTES_PER_REQUEST }
}

/** The blocks whose receipts cost more one by one. */
function chooseBlocks(
  size: Pick<BulkRead, 'blockBytes'> | null | undefined,
  blocks: readonly (readonly FoundTransaction[])[],
): Pick<Plan, 'found' | 'saved'> {
  if (!size) return { found: [], saved: 0 }
  const costOfBlock = 1 + size.blockBytes / BYTES_PER_REQUEST
  const dense = blocks.filter((found) => found.length * COST_OF_RECEIPT > costOfBlock)
  const found = dense.flat()
  return { found, saved: found.length * COST_OF_RECEIPT - dense.length * costOfBlock }
}
