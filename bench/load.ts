import { Agent, request } from 'node:http'

export type LoadOptions = {
  readonly url: string
  readonly requests: number
  /** Requests under way at the same time, each on a connection of its own. */
  readonly concurrency: number
  /** Headers of the request with this index, made before the clock starts. */
  readonly headers?: readonly Readonly<Record<string, string>>[]
  readonly path?: (index: number) => string
}

export type LoadResult = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<number, number>>
}

/** Sends a bounded number of requests over kept connections and measures rate and latency. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { requests, concurrency } = options
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const latencies = new Float64Array(requests)
  const statuses: Record<number, number> = {}
  let next = 0
  const startedMs = performance.now()
  const work = async () => {
    for (let index = next++; index < requests; index = next++) {
      const sentMs = performance.now()
      const status = await send(options, agent, index)
      latencies[index] = performance.now() - sentMs
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const seconds = (performance.now() - startedMs) / 1000
  agent.destroy()
  latencies.sort()
  return {
    perSecond: Math.round(requests / seconds),
    p50Ms: Number((latencies[Math.floor(requests * 0.5)] ?? 0).toFixed(2)),
    p99Ms: Number((latencies[Math.floor(requests * 0.99)] ?? 0).toFixed(2)),
    statuses,
  }
}

function send({ url, headers, path }: LoadOptions, agent: Agent, index: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const target = path ? new URL(path(index), url) : url
    const outgoing = request(target, { agent, headers: headers?.[index] ?? {} }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', reject)
    })
    outgoing.once('error', reject)
    outgoing.end()
  })
}
