import * as z from 'zod'
import { InvalidAnswer } from '../fetching/failure.ts'
import type { Hex } from './hex.ts'
import type { Rpc } from './rpc/rpc.ts'

/** The header fields that are read. */
export type Block = {
  readonly number: number
  readonly hash: Hex
  /** Epoch seconds. */
  readonly timestamp: number
}

/** The newest block; one that no L1 reorganisation has ever reverted; one that cannot be reverted. */
export type HeadTag = 'latest' | 'safe' | 'finalized'

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,13}$/)
  .transform(Number)
const blockSchema = z.object({
  number: quantity,
  hash: z.string().regex(/^0x[0-9a-f]{64}$/),
  timestamp: quantity,
})

/** The block with this number or tag; null if the chain has none. */
export async function readBlock(
  rpc: Rpc,
  block: number | HeadTag,
  signal: AbortSignal,
): Promise<Block | null> {
  return toBlock(await rpc.call('eth_getBlockByNumber', [toBlockName(block), false], signal))
}

/** The same for many, in order. */
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
  const genesis = await readBlock(rpc, 0, signal)
  if (!genesis) throw new InvalidAnswer('the chain RPC has no block 0')
  return genesis.hash
}

/**
 * The first block whose time is at or after the given one, by bisection; null if the head is older. Block
 * times never decrease.
 * @param time epoch seconds
 */
export async function findFirstBlockSince(
  rpc: Rpc,
  { time, head }: { readonly time: number; readonly head: Block },
  signal: AbortSignal,
): Promise<Block | null> {
  if (head.timestamp < time) return null
  let found = head
  let low = 0
  while (low < found.number) {
    const middle = Math.floor((low + found.number) / 2)
    const block = await readBlock(rpc, middle, signal)
    if (!block) throw new InvalidAnswer(`the chain RPC has no block ${middle}, which is below its head`)
    if (block.timestamp >= time) found = block
    else low = middle + 1
  }
  return found
}

export function toBlockName(block: number | HeadTag): string {
  return typeof block === 'number' ? `0x${block.toString(16)}` : block
}

/** @throws InvalidAnswer for anything but null or a block. */
export function toBlock(answer: unknown): Block | null {
  if (answer === null) return null
  const parsed = blockSchema.safeParse(answer)
  if (!parsed.success) throw new InvalidAnswer('the chain RPC returned a malformed block')
  return { ...parsed.data, hash: parsed.data.hash as Hex }
}
