import { type Hex, parseQuantity, parseUint, parseWord, toQuantity } from './hex.ts'
import type { Rpc } from './rpc/rpc.ts'
import { NodeBehind } from './rpc/rpc-failure.ts'

/** The header fields that are read. */
export type Block = {
  readonly number: number
  readonly hash: Hex
  /** Epoch seconds. */
  readonly timestamp: number
  /** Wei for a unit of gas; absent on a chain without EIP-1559. */
  readonly baseFeePerGas?: bigint
}

/** The newest block; one that no L1 reorganisation has ever reverted; one that cannot be reverted. */
export type HeadTag = 'latest' | 'safe' | 'finalized'

/** The block with this number or tag; null if the chain has none. */
export async function readBlock(
  rpc: Rpc,
  block: number | HeadTag,
  signal?: AbortSignal,
): Promise<Block | null> {
  return toBlock(await rpc.call('eth_getBlockByNumber', [toBlockName(block), false], signal))
}

/** The block with this number or tag. @throws NodeBehind if the node does not have it. */
export async function requireBlock(rpc: Rpc, block: number | HeadTag, signal?: AbortSignal): Promise<Block> {
  const found = await readBlock(rpc, block, signal)
  if (!found) throw new NodeBehind(`the chain RPC does not have block ${block}`)
  return found
}

/** Many blocks, in order; null for each that the chain does not have. */
export async function readBlocks(
  rpc: Rpc,
  blocks: readonly (number | HeadTag)[],
  signal: AbortSignal,
): Promise<readonly (Block | null)[]> {
  const requests = blocks.map((block) => ({
    method: 'eth_getBlockByNumber',
    params: [toBlockName(block), false],
  }))
  return (await rpc.batch(requests, signal)).map(toBlock)
}

/** The hash of block 0, which identifies the chain. */
export async function readGenesisHash(rpc: Rpc, signal: AbortSignal): Promise<Hex> {
  return (await requireBlock(rpc, 0, signal)).hash
}

/**
 * The first block whose time is at or after the given one; null if the head is older. Searches by interpolation
 * between blocks: evenly spaced ones need about five reads, uneven ones at most 64. Times never decrease.
 * @param time epoch seconds
 */
export async function findFirstBlockSince(
  rpc: Rpc,
  { time, head }: { readonly time: number; readonly head: Block },
  signal?: AbortSignal,
): Promise<Block | null> {
  if (head.timestamp < time) return null
  let low = await requireBlock(rpc, 0, signal)
  if (low.timestamp >= time) return low
  let high = head
  // Invariant: low is before the time, high at or after it.
  for (let step = 0; high.number - low.number > 1; step++) {
    const middle = await requireBlock(rpc, guess(low, high, time, step), signal)
    if (middle.timestamp < time) low = middle
    else high = middle
  }
  return high
}

/** Interpolates on even steps and halves on odd ones, which limits the number of steps on uneven blocks. */
function guess(low: Block, high: Block, time: number, step: number): number {
  const share = step % 2 === 0 ? (time - low.timestamp) / (high.timestamp - low.timestamp) : 0.5
  const number = low.number + Math.round((high.number - low.number) * share)
  return Math.min(high.number - 1, Math.max(low.number + 1, number))
}

export function toBlockName(block: number | HeadTag): string {
  return typeof block === 'number' ? toQuantity(block) : block
}

/** @throws InvalidAnswer for anything but null or a block. */
export function toBlock(answer: unknown): Block | null {
  if (answer === null) return null
  const { number, hash, timestamp, baseFeePerGas } = Object(answer) as {
    readonly [Key in keyof Block]?: unknown
  }
  return {
    number: parseQuantity(number, 'block'),
    hash: parseWord(hash, 'block'),
    timestamp: parseQuantity(timestamp, 'block'),
    ...(baseFeePerGas != null && { baseFeePerGas: parseUint(baseFeePerGas, 'block') }),
  }
}
