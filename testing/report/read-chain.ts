import { createReadRpc } from '../../src/chain/rpc/read-rpc.ts'
import { type Chain, type Position, readStep } from '../../src/report/chain/follow.ts'
import { BASE_CONTRACTS } from '../../src/verify/chain/contracts.ts'
import type { Payment } from '../../src/verify/chain/payment.ts'
import { createRangeSize } from '../../src/verify/chain/range-size.ts'

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
