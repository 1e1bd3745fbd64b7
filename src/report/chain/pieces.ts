import { Unreachable } from '../../fetching/failure.ts'
import type { RangeSize } from './range-size.ts'
import { RpcRefusal } from './rpc/rpc-failure.ts'

export type BlockRange = {
  readonly firstBlock: number
  /** The first block after the range. */
  readonly endBlock: number
}

/** About 5 MB of JSON, and the most logs that common providers give at once. */
const MANY_LOGS = 10_000

/**
 * Reads a range piece by piece, in the order of the chain; of the answers one is held at a time. The size shrinks
 * where the node refuses or fails, and where it answers with very much; else it grows.
 * @throws whatever `read` throws: RpcRefusal and Unreachable when it fails even for one block, others at once.
 */
export async function* readInPieces<Item>(
  { firstBlock, endBlock }: BlockRange,
  size: RangeSize,
  read: (range: BlockRange) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  for (let from = firstBlock; from < endBlock; ) {
    const asked = Math.min(endBlock - from, size.blocks)
    let items: readonly Item[]
    try {
      items = await read({ firstBlock: from, endBlock: from + asked })
    } catch (error) {
      const isWorthHalving = error instanceof RpcRefusal || error instanceof Unreachable
      if (!isWorthHalving || asked === 1) throw error
      size.shrink(asked)
      continue
    }
    from += asked
    if (items.length > MANY_LOGS) size.shrink(asked)
    else size.grow(asked)
    yield items
  }
}
