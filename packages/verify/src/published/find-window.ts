import { type Block, findFirstBlockSince, readBlock, readBlocks } from '@tollbook/chain/blocks'
import { BASE } from '@tollbook/chain/network'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { toUtcText } from '../build/compose-report.ts'
import type { Window } from '../build/window.ts'
import { lastWeekEnd, toScreened, toScreenedBlock, toWindow } from '../build/window.ts'
import { CannotCheck } from './failure.ts'

/** A window of the chain, and the position of its blocks. */
export type FoundWindow = {
  readonly window: Window
  /** First block of the screened period; with seven days `startBlock`, if blocks are two seconds apart. */
  readonly firstBlock: number
  /** Whether blocks are two seconds apart, as on Base. */
  readonly isEven: boolean
}

/** What identifies a window: the time at which a week ends (epoch seconds), or the first block after it. */
export type WindowKey = { readonly days?: number } & (
  | { readonly end: number; readonly endBlock?: number | undefined }
  | { readonly end?: undefined; readonly endBlock: number }
)

/**
 * Finds the days that end with the first block at or after a time, before a block, or at the newest final
 * one.
 * @throws CannotCheck when the chain has not reached it, or the node no longer has the blocks.
 */
export async function findWindow(
  rpc: Rpc,
  key: WindowKey | 'newest',
  signal: AbortSignal,
): Promise<FoundWindow> {
  const [head, finalHead] = await readBlocks(rpc, ['latest', 'finalized'], signal)
  if (!head) throw new CannotCheck('the chain RPC has no newest block')
  const endBlock = key === 'newest' ? (finalHead ?? head) : await findEnd(rpc, { ...key, head }, signal)
  const end = key === 'newest' || key.end === undefined ? endBlock.timestamp : key.end
  const finalNumber = finalHead?.number ?? -1
  // Assume full coverage: the chain does not show which blocks the publisher had read.
  const ends = {
    endBlock: endBlock.number,
    end,
    finalHead: finalNumber,
    coverage: { endBlock: head.number + 1 },
    days: key === 'newest' ? 7 : key.days,
  }
  const nominal = toWindow({ ...ends, indexedSince: 0 })
  const startBlock = toScreenedBlock(nominal)
  const { start } = toScreened(nominal)
  const first = startBlock < 0 ? null : await readBlock(rpc, startBlock, signal)
  if (startBlock >= 0 && !first) throw missing(startBlock)
  if (first?.timestamp === start) {
    const isEven = endBlock.timestamp - first.timestamp === (endBlock.number - startBlock) * BASE.blockSeconds
    return { window: nominal, firstBlock: first.number, isEven }
  }
  const genesis = await readBlock(rpc, 0, signal)
  if (!genesis) throw missing(0)
  const window = toWindow({ ...ends, indexedSince: genesis.timestamp })
  const since = await findFirstBlockSince(rpc, { time: start, head: endBlock }, signal)
  return { window, firstBlock: since?.number ?? endBlock.number, isEven: false }
}

export function isWeekEnd(seconds: number): boolean {
  return lastWeekEnd(seconds) === seconds
}

async function findEnd(rpc: Rpc, key: WindowKey & { readonly head: Block }, signal: AbortSignal) {
  const { end, endBlock, head } = key
  if (end !== undefined && head.timestamp < end)
    throw new CannotCheck(
      `the newest block of the chain RPC is from ${toUtcText(head.timestamp)}, before the window's end at ${toUtcText(end)}`,
    )
  // Two headers instead of thirty where the block number is correct.
  if (endBlock !== undefined && endBlock > 0 && endBlock <= head.number) {
    const [named, before] = await readBlocks(rpc, [endBlock, endBlock - 1], signal)
    if (!named || !before) throw missing(endBlock)
    if (end === undefined || (before.timestamp < end && named.timestamp >= end)) return named
  }
  if (end === undefined)
    throw new CannotCheck(`block ${endBlock} is not on the chain, whose newest block is ${head.number}`)
  const found = await findFirstBlockSince(rpc, { time: end, head }, signal)
  if (!found) throw new CannotCheck(`the chain RPC has no block at or after ${toUtcText(end)}`)
  return found
}

function missing(block: number): CannotCheck {
  return new CannotCheck(`the chain RPC does not have block ${block}: a node that keeps all blocks is needed`)
}
