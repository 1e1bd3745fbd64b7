import type { Block } from '@tollbook/chain/blocks'
import { BASE } from '@tollbook/chain/network'
import { InvalidAnswer } from '@tollbook/flow/failure'

/** Computes the time of every block of a chain without a request. */
export type BlockClock = {
  /** Epoch seconds. */
  timeOf(block: number): number
}

/** Base produces a block every two seconds; on other chains each block's time must be requested. */
export function findBlockClock(genesis: Block): BlockClock | null {
  if (genesis.timestamp !== BASE.genesisSeconds) return null
  return { timeOf: (block) => BASE.genesisSeconds + BASE.blockSeconds * block }
}

/** @throws InvalidAnswer if a block's time does not match its number. */
export function checkBlockTime(clock: BlockClock | null, block: Pick<Block, 'number' | 'timestamp'>): void {
  const expected = clock?.timeOf(block.number)
  if (expected !== undefined && expected !== block.timestamp)
    throw new InvalidAnswer(
      `the chain RPC reports time ${block.timestamp} for block ${block.number}, expected ${expected} on Base`,
    )
}
