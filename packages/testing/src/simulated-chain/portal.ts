import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { RawReceipt, SimulatedChain } from './chain.ts'

/** What a portal makes of the receipts of a block before it answers. */
export type PortalChange = (receipts: readonly RawReceipt[], block: number) => readonly RawReceipt[]

export type SimulatedPortal = {
  readonly url: string
  requests: number
  bytes: number
  readonly authorizations: Set<string | undefined>
  /** What happens next: an HTTP status instead of an answer, a text instead of one, or changed receipts. */
  behave(next: { readonly status?: number; readonly text?: string; readonly change?: PortalChange }): void
  close(): Promise<void>
}

type Query = Readonly<Record<string, unknown>> & {
  readonly logs: readonly {
    readonly address: string[]
    readonly topics?: string[][]
    readonly topic0?: string[]
  }[]
}

/**
 * Serves a simulated chain in the formats of HyperSync (`/query`) and of an SQD portal (`/finalized-stream`), as
 * their documentation describes them.
 * @param blocksPerAnswer after so many blocks an answer ends.
 */
export async function startSimulatedPortal(
  chain: SimulatedChain,
  { blocksPerAnswer = 1_000 }: { readonly blocksPerAnswer?: number } = {},
): Promise<SimulatedPortal> {
  let behaviour: Parameters<SimulatedPortal['behave']>[0] = {}
  const answer = (path: string, query: Query): string => {
    const isSqd = path === '/finalized-stream'
    const first = Number(isSqd ? query.fromBlock : query.from_block)
    const wanted = isSqd ? Number(query.toBlock) : Number(query.to_block) - 1
    const last = Math.min(wanted, chain.head, first + blocksPerAnswer - 1)
    const lines: string[] = []
    const data = { blocks: [] as unknown[], transactions: [] as unknown[], logs: [] as unknown[] }
    for (let number = first; number <= last; number++) {
      const hash = chain.block(number)?.hash
      const found = chain.receipts(number).filter((one) => isSelected(one, query))
      const receipts = behaviour.change?.(found, number) ?? found
      if (isSqd) {
        if (receipts.length > 0 || number === first || number === last)
          lines.push(JSON.stringify(toSqdBlock(number, receipts[0]?.logs[0]?.blockHash ?? hash, receipts)))
        continue
      }
      if (receipts.length > 0) data.blocks.push({ number, hash: receipts[0]?.logs[0]?.blockHash ?? hash })
      for (const { transactionHash, from, logs } of receipts) {
        data.transactions.push({ block_number: number, hash: transactionHash, from })
        for (const { logIndex, address, data: bytes, topics } of logs)
          data.logs.push({
            block_number: number,
            transaction_hash: transactionHash,
            log_index: Number(logIndex),
            address,
            data: bytes,
            ...Object.fromEntries([0, 1, 2, 3].map((at) => [`topic${at}`, topics[at] ?? null])),
          })
      }
    }
    if (isSqd) return lines.map((line) => `${line}\n`).join('')
    const ends = { archive_height: chain.head, next_block: Math.max(first, last + 1) }
    return JSON.stringify({ ...ends, total_execution_time: 3, data: [data] })
  }

  const server = createServer(async (request, response) => {
    const query = JSON.parse(await text(request)) as Query
    portal.requests++
    portal.authorizations.add(request.headers.authorization)
    if (behaviour.status !== undefined) {
      response.writeHead(behaviour.status, { 'retry-after': '0' }).end()
      return
    }
    const body = behaviour.text ?? answer(request.url ?? '', query)
    portal.bytes += body.length
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const portal: SimulatedPortal = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    bytes: 0,
    authorizations: new Set(),
    behave(next) {
      behaviour = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return portal
}

function isSelected({ logs }: RawReceipt, query: Query): boolean {
  return query.logs.some(({ address, topics, topic0 = topics?.[0] ?? [] }) =>
    logs.some((log) => address.includes(log.address) && topic0.includes(log.topics[0] ?? '')),
  )
}

function toSqdBlock(number: number, hash: unknown, receipts: readonly RawReceipt[]) {
  return {
    header: { number, hash },
    transactions: receipts.map(({ transactionHash, from, logs }) => ({
      transactionIndex: Number(logs[0]?.transactionIndex),
      hash: transactionHash,
      from,
    })),
    logs: receipts.flatMap(({ logs }) =>
      logs.map(({ logIndex, transactionIndex, address, topics, data }) => ({
        logIndex: Number(logIndex),
        transactionIndex: Number(transactionIndex),
        address,
        topics,
        data,
      })),
    ),
  }
}
