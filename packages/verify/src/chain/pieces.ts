import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { Unreachable } from '@tollbook/flow/failure'
import { RangeRefused } from './logs.ts'
import type { RangeSize } from './range-size.ts'

export type BlockRange = {
  readonly firstBlock: number
  /** The first block after the range. */
  readonly endBlock: number
}

/** About 5 MB of JSON, and the log limit of common providers. */
const MANY_LOGS = 10_000

/**
 * Reads a range part by part, in chain order, in sizes that the node accepts; holds one response at a time.
 * @throws as `read`: RpcRefusal and Unreachable only if even one block fails, others immediately.
 */
export async function* readInPieces<Item>(
  { firstBlock, endBlock }: BlockRange,
  size: RangeSize,
  read: (range: BlockRange) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  for (let from = firstBlock; from < endBlock; ) {
    const requested = Math.min(endBlock - from, size.blocks)
    let items: readonly Item[]
    try {
      items = await read({ firstBlock: from, endBlock: from + requested })
    } catch (error) {
      const isWorthHalving =
        error instanceof RpcRefusal || error instanceof Unreachable || error instanceof RangeRefused
      if (!isWorthHalving || requested === 1) throw error
      size.shrink(requested)
      continue
    }
    from += requested
    if (items.length > MANY_LOGS) size.shrink(requested)
    else size.grow(requested)
    yield items
  }
}
