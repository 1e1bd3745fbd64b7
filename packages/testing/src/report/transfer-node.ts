import type { Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { TOPIC } from '@tollbook/chain/topics'
import type { Transfer } from '@tollbook/verify/chain/transfer'

/** A node whose chain has only transfers of USDC, with the limits of public nodes. */
export type TransferNode = {
  readonly rpc: Rpc
  /** The transfers of its chain; may be changed, as by a reorganisation. */
  transfers: readonly Transfer[]
  /** Part of every block hash from this block on. */
  fork: { readonly fromBlock: number; readonly name: number }
  /** Called with each requested filter; may throw. */
  onLogs: (blocks: number) => void
  /** Number of answers, and the maximum number of logs in one. */
  readonly seen: { answers: number; maxLogs: number }
}

export type NodeLimits = {
  readonly maxBlocks: number
  readonly maxLogs: number
  readonly maxWallets: number
  /** Newer nodes include the time in each log. */
  readonly tellsTime: boolean
  /** Epoch seconds of a block. */
  readonly timeOf: (block: number) => number
}

export const NO_LIMITS: NodeLimits = {
  maxBlocks: 10_000,
  maxLogs: 10_000,
  maxWallets: 200,
  tellsTime: true,
  timeOf: (block) => BASE.genesisSeconds + BASE.blockSeconds * block,
}

type Filter = {
  readonly fromBlock: Hex
  readonly toBlock: Hex
  readonly address: string
  readonly topics: readonly (string | readonly string[] | null)[]
}

export function createTransferNode(limits: NodeLimits = NO_LIMITS): TransferNode {
  const node: TransferNode = {
    rpc: {
      call: async (method, params) => answer(method, params),
      batch: async (requests) => requests.map(({ method, params }) => answer(method, params)),
    },
    transfers: [],
    fork: { fromBlock: Number.POSITIVE_INFINITY, name: 0 },
    onLogs: () => {},
    seen: { answers: 0, maxLogs: 0 },
  }
  return node

  function answer(method: string, [first]: readonly unknown[]): unknown {
    if (method === 'eth_getBlockByNumber') return blockOf(Number(first))
    if (method === 'eth_getLogs') return logsOf(first as Filter)
    throw new RpcRefusal(method, { code: -32601, message: 'no such method' })
  }

  function blockOf(number: number) {
    return { number: toHex(number), hash: hashOf(node, number), timestamp: toHex(limits.timeOf(number)) }
  }

  function logsOf({ fromBlock, toBlock, address, topics }: Filter): unknown {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    node.onLogs(to - from + 1)
    const refuse = (message: string) => new RpcRefusal('eth_getLogs', { code: -32005, message })
    if (to - from + 1 > limits.maxBlocks) throw refuse('block range is too wide')
    const [topic, senders, recipients] = topics
    const wanted = [senders, recipients].map((list) => (Array.isArray(list) ? list : null))
    if (wanted.some((list) => list !== null && list.length > limits.maxWallets))
      throw refuse('too many topics')
    if (address !== BASE.usdc.toLowerCase() || topic !== TOPIC.transfer) return []
    const logs = node.transfers
      .filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
      .map((transfer) => ({ transfer, words: [toWord(transfer.sender), toWord(transfer.recipient)] }))
      .filter(({ words }) => words.every((word, at) => wanted[at]?.includes(word) ?? true))
    if (logs.length > limits.maxLogs) throw refuse('query returned more than so many results')
    node.seen.answers++
    node.seen.maxLogs = Math.max(node.seen.maxLogs, logs.length)
    return logs.map(({ transfer, words }) => ({
      address,
      topics: [TOPIC.transfer, ...words],
      data: `0x${transfer.amount.toString(16).padStart(64, '0')}`,
      transactionHash: transfer.transaction,
      blockNumber: toHex(transfer.blockNumber),
      blockHash: hashOf(node, transfer.blockNumber),
      logIndex: toHex(transfer.logIndex),
      ...(limits.tellsTime && { blockTimestamp: toHex(limits.timeOf(transfer.blockNumber)) }),
    }))
  }
}

/** Hash of a block of the node's chain. */
export function hashOf({ fork }: Pick<TransferNode, 'fork'>, number: number): Hex {
  const name = number >= fork.fromBlock ? fork.name : 0
  return `0x${name.toString(16).padStart(32, '0')}${number.toString(16).padStart(32, '0')}`
}

function toHex(number: number): Hex {
  return `0x${number.toString(16)}`
}

function toWord(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}
