import { readBlocks, toBlock, toBlockName } from '@tollbook/chain/blocks'
import type { Address, Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { NodeBehind } from '@tollbook/chain/rpc/rpc-failure'
import { TOPIC } from '@tollbook/chain/topics'
import { addressOf, toWord } from '@tollbook/chain/words'
import { InvalidAnswer, RetryableError } from '@tollbook/flow/failure'
import * as z from 'zod'
import { isSame } from './is-same.ts'
import { RangeRefused, ROUND_NUMBER } from './logs.ts'
import { type BlockRange, readInPieces } from './pieces.ts'
import type { RangeSize } from './range-size.ts'
import type { Transfer } from './transfer.ts'

/** Out of wallets, or into them. */
export type Direction = 'out' | 'in'

export type TransferQuery = BlockRange & {
  readonly rpc: Rpc
  readonly range: RangeSize
  readonly usdc: Address
  readonly wallets: readonly Address[]
  readonly direction: Direction
}

/** This many addresses are accepted in one filter everywhere. */
const WALLETS_PER_FILTER = 200

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,13}$/)
  .transform(Number)
const word = z.string().regex(/^0x[0-9a-f]{64}$/)
const logsSchema = z.array(
  z.object({
    transactionHash: word,
    blockNumber: quantity,
    logIndex: quantity,
    // Both addresses are indexed arguments of the event.
    topics: z.tuple([z.literal(TOPIC.transfer), word, word]),
    data: word,
    blockTimestamp: quantity.optional(),
    removed: z.boolean().optional(),
  }),
)
type RawLog = z.output<typeof logsSchema>[number]

/**
 * Every USDC transfer above zero out of wallets, or into them, once; one response is held at a time.
 * @throws RpcRefusal or Unreachable if even one block fails; InvalidAnswer for malformed logs;
 * RetryableError if a block disappeared meanwhile, or is not there yet.
 */
export async function* readTransfers(
  query: TransferQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly Transfer[]> {
  for (let at = 0; at < query.wallets.length; at += WALLETS_PER_FILTER) {
    const wallets = query.wallets.slice(at, at + WALLETS_PER_FILTER)
    const read = (range: BlockRange) => readLogs({ ...query, ...range, wallets }, signal)
    for await (const logs of readInPieces(query, query.range, read)) {
      const real = logs.filter((log) => !log.removed && BigInt(log.data) > 0n)
      const times = await readTimes(query.rpc, real, signal)
      yield real.map((log) => toTransfer(log, times))
    }
  }
}

async function readLogs(
  { rpc, usdc, wallets, direction, firstBlock, endBlock }: TransferQuery,
  signal: AbortSignal,
): Promise<readonly RawLog[]> {
  const words: readonly string[] = wallets.map(toWord)
  const filter = {
    fromBlock: toBlockName(firstBlock),
    toBlock: toBlockName(endBlock - 1),
    address: usdc,
    topics: direction === 'out' ? [TOPIC.transfer, words] : [TOPIC.transfer, null, words],
  }
  // In one request, as in `findTransactions`: a node that lags returns the logs that it has, without an error.
  const header = { method: 'eth_getBlockByNumber', params: [filter.toBlock, false] }
  const [logs, last] = await rpc.batch([{ method: 'eth_getLogs', params: [filter] }, header], signal)
  if (toBlock(last)?.number !== endBlock - 1)
    throw new NodeBehind(`the chain RPC does not have block ${endBlock - 1} yet`)
  const parsed = logsSchema.safeParse(logs)
  if (!parsed.success) throw new InvalidAnswer('the chain RPC returned malformed logs')
  const topicWords = new Set(words)
  for (const { blockNumber, topics } of parsed.data)
    if (
      blockNumber < firstBlock ||
      blockNumber >= endBlock ||
      !topicWords.has(topics[direction === 'out' ? 1 : 2])
    )
      throw new InvalidAnswer('the chain RPC returned logs that were not requested')
  const { length } = parsed.data
  if (length > 0 && length % ROUND_NUMBER === 0 && endBlock - firstBlock > 1)
    throw new RangeRefused(`exactly ${length} logs may be a truncated response`)
  return distinct(parsed.data)
}

/** Logs can come twice. @throws InvalidAnswer for two of one index, since sums would count both. */
function distinct(logs: readonly RawLog[]): readonly RawLog[] {
  const byPlace = new Map<string, RawLog>()
  for (const log of logs) {
    const place = `${log.blockNumber}:${log.logIndex}`
    const known = byPlace.get(place)
    if (known && !isSame(known, log))
      throw new InvalidAnswer('the chain RPC returned two logs with one index')
    byPlace.set(place, log)
  }
  return [...byPlace.values()]
}

/** From the log itself, on Base from the block number, otherwise from the block. */
async function readTimes(
  rpc: Rpc,
  logs: readonly RawLog[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const times = new Map<number, number>()
  for (const { blockNumber, blockTimestamp } of logs)
    if (blockTimestamp !== undefined) times.set(blockNumber, blockTimestamp)
  const untold = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
    .filter((number) => !times.has(number))
    .sort((a, b) => a - b)
  const [first, last] = [untold[0], untold.at(-1)]
  if (first === undefined || last === undefined) return times
  const ends = await readBlocks(rpc, [first, last], signal)
  const isBase = ends.every((block) => block !== null && block.timestamp === timeOnBase(block.number))
  if (isBase) for (const number of untold) times.set(number, timeOnBase(number))
  else
    for (const block of await readBlocks(rpc, untold, signal))
      if (block) times.set(block.number, block.timestamp)
  return times
}

function timeOnBase(number: number): number {
  return BASE.genesisSeconds + BASE.blockSeconds * number
}

function toTransfer(log: RawLog, times: ReadonlyMap<number, number>): Transfer {
  const timestamp = times.get(log.blockNumber)
  if (timestamp === undefined) throw new RetryableError('a block disappeared while its transfers were read')
  return {
    blockNumber: log.blockNumber,
    logIndex: log.logIndex,
    timestamp,
    transaction: log.transactionHash as Hex,
    sender: addressOf(log.topics[1]),
    recipient: addressOf(log.topics[2]),
    amount: BigInt(log.data),
  }
}
