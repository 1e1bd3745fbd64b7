import * as z from 'zod'
import { InvalidAnswer, Unreachable } from '../../fetching/failure.ts'
import { toBlockName } from './blocks.ts'
import { type PaymentContracts, TOPIC } from './contracts.ts'
import type { Hex } from './payment.ts'
import { type Rpc, RpcRefusal } from './rpc.ts'

/** A transaction with a log that announces a payment. */
export type FoundTransaction = { readonly transaction: Hex; readonly blockHash: Hex }

type LogRange = {
  readonly firstBlock: number
  /** The first block after the range. */
  readonly endBlock: number
  readonly contracts: PaymentContracts
}

const hash = z.string().regex(/^0x[0-9a-f]{64}$/)
const logsSchema = z.array(
  z.object({ transactionHash: hash, blockHash: hash, removed: z.boolean().optional() }),
)

/**
 * Transactions of a block range in which an EIP-3009 authorization was used or an x402 proxy settled, in the
 * order of the chain. Plain transfers of USDC, many times as many, are not fetched.
 * A node that refuses the range, or fails at it, is asked for its halves.
 * @throws RpcRefusal or Unreachable when it fails even for one block.
 */
export async function findTransactions(
  rpc: Rpc,
  range: LogRange,
  signal: AbortSignal,
): Promise<readonly FoundTransaction[]> {
  if (range.endBlock <= range.firstBlock) return []
  try {
    return await readRange(rpc, range, signal)
  } catch (error) {
    const isWorthHalving = error instanceof RpcRefusal || error instanceof Unreachable
    if (!isWorthHalving || range.endBlock - range.firstBlock === 1) throw error
    const middle = Math.floor((range.firstBlock + range.endBlock) / 2)
    const first = await findTransactions(rpc, { ...range, endBlock: middle }, signal)
    const second = await findTransactions(rpc, { ...range, firstBlock: middle }, signal)
    return [...first, ...second]
  }
}

async function readRange(rpc: Rpc, range: LogRange, signal: AbortSignal) {
  const { usdc, proxies } = range.contracts
  const filter = {
    fromBlock: toBlockName(range.firstBlock),
    toBlock: toBlockName(range.endBlock - 1),
    address: [usdc, ...proxies],
    topics: [[TOPIC.authorizationUsed, TOPIC.settled, TOPIC.settledWithPermit]],
  }
  const parsed = logsSchema.safeParse(await rpc.call('eth_getLogs', [filter], signal))
  if (!parsed.success) throw new InvalidAnswer('the chain RPC gave malformed logs')
  const found = new Map<string, FoundTransaction>()
  for (const log of parsed.data) {
    if (log.removed) continue
    // The schema allows nothing but hex.
    found.set(log.transactionHash, {
      transaction: log.transactionHash as Hex,
      blockHash: log.blockHash as Hex,
    })
  }
  return [...found.values()]
}
