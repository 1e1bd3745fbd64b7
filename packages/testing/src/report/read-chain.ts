import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { type Chain, type Position, readStep } from '@tollbook/report/chain/follow'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import type { Payment } from '@tollbook/verify/chain/payment'
import { createRangeSize } from '@tollbook/verify/chain/range-size'

const signal = new AbortController().signal

/** All payments of a chain that the indexer finds, and the number of claims that it cannot attribute. */
export async function readChain(
  rpcUrl: string,
  contracts = BASE_CONTRACTS,
): Promise<{ readonly payments: readonly Payment[]; readonly misses: number }> {
  const reader: Chain = {
    rpc: createReadRpc({ url: rpcUrl }),
    range: createRangeSize(),
    contracts,
    facilitators: new Set(),
    head: 'latest',
    now: () => new Date(),
    clock: null,
    findWitness: async () => null,
    isCrossChecked: false,
  }
  const payments: Payment[] = []
  let misses = 0
  for (let position: Position = { firstBlock: 0, nextBlock: 0, checkpoints: [] }; ; ) {
    const step = await readStep(reader, position, signal)
    if (step.kind !== 'blocks') return { payments, misses }
    payments.push(...step.payments)
    misses += step.misses
    position = { firstBlock: 0, nextBlock: step.endBlock, checkpoints: [step.checkpoint] }
  }
}
