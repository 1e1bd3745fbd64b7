import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Address } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import type { SimulatedChain } from './chain.ts'

export type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** A JSON-RPC answer of one call, without its id. */
export type Answer = { readonly result: unknown } | { readonly error: { code: number; message: string } }

/**
 * What a node makes of a call: its answer, by default `honest(call)`. A string ends the whole request instead:
 * `hang` answers nothing, and a number is an HTTP status.
 */
export type Behaviour = (call: Call, honest: (call: Call) => Answer, size: number) => Answer | 'hang' | number

export type SimulatedNode = {
  readonly url: string
  /** Calls so far, by method. */
  readonly asked: ReadonlyMap<string, number>
  /** Ranges of logs that were answered honestly, as [first, last]. */
  readonly ranges: readonly (readonly [number, number])[]
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

type LogFilter = {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address: Address | readonly Address[]
  readonly topics: readonly unknown[]
}

/** What a faultless node of the chain answers. */
export function answerHonestly(chain: SimulatedChain, { method, params }: Omit<Call, 'id'>): Answer {
  if (method === 'eth_chainId') return { result: `0x${BASE.chainId.toString(16)}` }
  if (method === 'eth_blockNumber') return { result: `0x${chain.head.toString(16)}` }
  if (method === 'eth_getBlockByNumber') {
    const [name, isFull] = params
    const block = chain.block(/^0x/.test(String(name)) ? Number(name) : chain.head)
    return { result: isFull || !block ? block : { ...block, transactions: [] } }
  }
  if (method === 'eth_getLogs') {
    const filter = params[0] as LogFilter
    const logs = chain.logs(Number(filter.fromBlock), Number(filter.toBlock), [filter.topics[0]].flat())
    return { result: logs.filter(({ address }) => [filter.address].flat().includes(address)) }
  }
  if (method === 'eth_getBlockReceipts') return { result: chain.receipts(Number(params[0])) }
  if (method === 'eth_getTransactionReceipt') return { result: chain.receipt(String(params[0])) }
  return { error: { code: -32601, message: `the method ${method} does not exist` } }
}

/** Serves a simulated chain over JSON-RPC. */
export async function startSimulatedNode(
  chain: SimulatedChain,
  { chainId = BASE.chainId, retryAfter = '0' }: { chainId?: number; retryAfter?: string } = {},
): Promise<SimulatedNode> {
  const asked = new Map<string, number>()
  const ranges: (readonly [number, number])[] = []
  let behaviour: Behaviour = (call, honest) => honest(call)

  const honest = (call: Call): Answer => {
    if (call.method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` }
    if (call.method === 'eth_getLogs') {
      const { fromBlock, toBlock } = call.params[0] as { fromBlock: string; toBlock: string }
      ranges.push([Number(fromBlock), Number(toBlock)])
    }
    return answerHonestly(chain, call)
  }

  const answer = (body: string, response: ServerResponse) => {
    const json = JSON.parse(body) as Call | readonly Call[]
    const calls = [json].flat() as readonly Call[]
    const answers: unknown[] = []
    for (const call of calls) {
      asked.set(call.method, (asked.get(call.method) ?? 0) + 1)
      const given = behaviour(call, honest, calls.length)
      if (given === 'hang') return
      if (typeof given === 'number') {
        response.writeHead(given, { 'retry-after': retryAfter }).end()
        return
      }
      answers.push({ jsonrpc: '2.0', id: call.id, ...given })
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(json) ? answers : answers[0]))
  }

  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(body, response))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    ranges,
    behave(next) {
      behaviour = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
