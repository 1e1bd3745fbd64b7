import { type Block, requireBlock, toBlock, toBlockName } from '@tollbook/chain/blocks'
import { type Address, type Hex, parseQuantity, parseWord } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { NodeBehind } from '@tollbook/chain/rpc/rpc-failure'
import { TOPIC } from '@tollbook/chain/topics'
import { InvalidAnswer, RetryableError } from '@tollbook/flow/failure'
import { RangeRefused, ROUND_NUMBER } from './logs.ts'
import { type BlockRange, readInPieces } from './pieces.ts'
import { createRangeSize } from './range-size.ts'

/** The newest creation of a channel: its block, and the data of its `ChannelCreated` log as hex digits. */
export type CreatedChannel = { readonly block: number; readonly config: string }

/**
 * Reads the creations of all channels in a range of blocks, each block once while ranges move forward: anybody can
 * make claims that need a search, so that its cost must not grow with them. One read at a time.
 */
export type ChannelHistory = {
  /**
   * The newest creation of each channel in the range, by channel id.
   * @throws RetryableError if the chain was reorganised meanwhile; NodeBehind if the node lacks the last block;
   * InvalidAnswer if logs are malformed.
   */
  read(of: CreationQuery, signal: AbortSignal): Promise<ReadonlyMap<Hex, CreatedChannel>>
}

type CreationQuery = BlockRange & { readonly rpc: Rpc; readonly escrow: Address }

/** Remembers what one node answered. */
export function createChannelHistory(): ChannelHistory {
  const size = createRangeSize()
  const channels = new Map<Hex, CreatedChannel>()
  /** The blocks that were read; they are on the chain as long as the last one is. */
  let done: { readonly firstBlock: number; readonly last: Block } | null = null

  return {
    async read(query, signal) {
      const { rpc, firstBlock, endBlock } = query
      const last = done && (await requireBlock(rpc, done.last.number, signal))
      const isKept = done && last?.hash === done.last.hash
      if (!done || !isKept || firstBlock < done.firstBlock || firstBlock > done.last.number) {
        done = null
        channels.clear()
      }
      const readPart = async (part: BlockRange) => {
        const found = await readCreations({ ...query, ...part }, done?.last ?? null, signal)
        done = { firstBlock, last: found.last }
        return found.created
      }
      const open = { firstBlock: done ? done.last.number + 1 : firstBlock, endBlock }
      for await (const created of readInPieces(open, size, readPart))
        for (const { id, ...channel } of created)
          if (channel.block >= (channels.get(id)?.block ?? 0)) channels.set(id, channel)
      for (const [id, { block }] of channels) if (block < firstBlock) channels.delete(id)
      done &&= { ...done, firstBlock }
      return channels
    },
  }
}

/** @param before a block that must still be on the chain. @throws RangeRefused, or as `readInPieces`. */
async function readCreations(
  { rpc, escrow, firstBlock, endBlock }: CreationQuery,
  before: Block | null,
  signal: AbortSignal,
) {
  const filter = {
    fromBlock: toBlockName(firstBlock),
    toBlock: toBlockName(endBlock - 1),
    address: escrow,
    topics: [TOPIC.channelCreated],
  }
  // In one request, as in `findTransactions`.
  const headers = [endBlock - 1, ...(before ? [before.number] : [])].map((number) => ({
    method: 'eth_getBlockByNumber',
    params: [toBlockName(number), false],
  }))
  const [logs, ...blocks] = await rpc.batch([{ method: 'eth_getLogs', params: [filter] }, ...headers], signal)
  const [last = null, same = null] = blocks.map(toBlock)
  if (last?.number !== endBlock - 1)
    throw new NodeBehind(`the chain RPC does not have block ${endBlock - 1} yet`)
  if (same?.hash !== before?.hash) throw new RetryableError('the chain was reorganised while it was read')
  if (!Array.isArray(logs)) throw new InvalidAnswer('the chain RPC did not return a list of logs')
  if (logs.length > 0 && logs.length % ROUND_NUMBER === 0 && endBlock - firstBlock > 1)
    throw new RangeRefused(`exactly ${logs.length} logs may be a truncated response`)
  return { last, created: logs.map(toCreated) }
}

function toCreated(log: unknown): CreatedChannel & { readonly id: Hex } {
  const { topics, data, blockNumber } = Object(log) as Readonly<Record<string, unknown>>
  if (!Array.isArray(topics) || typeof data !== 'string')
    throw new InvalidAnswer('the chain RPC returned malformed logs')
  return {
    id: parseWord(topics[1], 'channel'),
    block: parseQuantity(blockNumber, 'block number'),
    config: data.slice(2).toLowerCase(),
  }
}
