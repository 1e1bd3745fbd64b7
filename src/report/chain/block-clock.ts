import { InvalidAnswer } from '../../fetching/failure.ts'
import { BASE } from '../../money/base.ts'
import type { Block } from './blocks.ts'

/** Tells the time of every block of a chain without asking for it. */
export type BlockClock = {
  /** Epoch seconds. */
  timeOf(block: number): number
}

/** Base makes a block every two seconds since its first; other chains are asked for the time of each block. */
export function findBlockClock(genesis: Block): BlockClock | null {
  if (genesis.timestamp !== BASE.genesisSeconds) return null
  return { timeOf: (block) => BASE.genesisSeconds + BASE.blockSeconds * block }
}

/** @throws InvalidAnswer when a block's time is not the one that its number tells. */
export function checkBlockTime(clock: BlockClock | null, block: Pick<Block, 'number' | 'timestamp'>): void {
  const expected = clock?.timeOf(block.number)
  if (expected !== undefined && expected !== block.timestamp)
    throw new InvalidAnswer(
      `the chain RPC tells the time ${block.timestamp} of block ${block.number}, which is ${expected} on Base`,
    )
}
