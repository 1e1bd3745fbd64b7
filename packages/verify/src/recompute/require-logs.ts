import { toBlockName } from '@tollbook/chain/blocks'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { TOPIC } from '@tollbook/chain/topics'
import { BASE_CONTRACTS } from '../chain/contracts.ts'
import { CannotCheck } from '../published/failure.ts'
import type { FoundWindow } from '../published/find-window.ts'

/** On Base every block moves USDC; ten of them are sufficient proof. */
const BLOCKS = 10

/**
 * Checks that a node has the first logs of a window: some return an empty list instead of an error. On chains
 * other than Base, blocks without transfers prove nothing. @throws CannotCheck
 */
export async function requireLogs(rpc: Rpc, { firstBlock, isEven }: FoundWindow, signal: AbortSignal) {
  if (!isEven) return
  const filter = {
    fromBlock: toBlockName(firstBlock),
    toBlock: toBlockName(firstBlock + BLOCKS - 1),
    address: BASE_CONTRACTS.usdc,
    topics: [TOPIC.transfer],
  }
  const logs = await rpc.call('eth_getLogs', [filter], signal)
  if (Array.isArray(logs) && logs.length === 0)
    throw new CannotCheck(
      `the chain RPC has no logs of block ${firstBlock} and those after it: a node that keeps all logs is needed`,
    )
}
