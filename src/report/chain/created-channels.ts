import { toBlockName } from '../../chain/blocks.ts'
import type { Hex } from '../../chain/hex.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { RpcRefusal } from '../../chain/rpc/rpc-failure.ts'
import { TOPIC } from '../../chain/topics.ts'
import { Unreachable } from '../../fetching/failure.ts'
import type { PaymentContracts } from './contracts.ts'
import { createRangeSize } from './range-size.ts'

export type CreatedQuery = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  readonly ids: readonly Hex[]
  /** Channels were created at or before this block. */
  readonly lastBlock: number
}

/** Chosen: three days of blocks where a node accepts 10,000 at once, so that a claim in dust costs little. */
const MAX_REQUESTS = 16

/** Data of the `ChannelCreated` logs of channels, as hex digits; searches a limited number of blocks back. */
export async function readCreatedChannels(
  { rpc, contracts, ids, lastBlock }: CreatedQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const size = createRangeSize()
  const found = new Map<unknown, string>()
  let end = lastBlock + 1
  for (let request = 0; request < MAX_REQUESTS && end > 0 && found.size < ids.length; request++) {
    const asked = Math.min(size.blocks, end)
    const filter = {
      fromBlock: toBlockName(end - asked),
      toBlock: toBlockName(end - 1),
      address: contracts.channelEscrow,
      topics: [TOPIC.channelCreated, ids],
    }
    try {
      const logs = await rpc.call('eth_getLogs', [filter], signal)
      for (const log of Array.isArray(logs) ? logs : []) {
        const { topics, data } = Object(log) as { readonly topics?: unknown; readonly data?: unknown }
        if (Array.isArray(topics) && typeof data === 'string')
          found.set(topics[1], data.slice(2).toLowerCase())
      }
      end -= asked
      size.grow(asked)
    } catch (error) {
      const isWorthHalving = error instanceof RpcRefusal || error instanceof Unreachable
      if (!isWorthHalving || asked === 1) throw error
      size.shrink(asked)
    }
  }
  return [...found.values()]
}
