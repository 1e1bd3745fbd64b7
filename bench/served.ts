import type { Benchmark } from './benchmark.ts'
import { toRequest } from './load.ts'
import { printPair } from './print-pair.ts'
import { measureInTurns } from './rounds.ts'
import { withServers } from './server-process.ts'
import { reportPath, SERVED_MERCHANTS } from './servers/published-sample.ts'

const PEER = 'hono 4.13.19, one bare route'

/** Rate at which a stored report is served, in full and as 304. */
export const served: Benchmark = {
  name: 'served',
  summary: 'reports and 304 answers per second, against a bare route of Hono with the same head and body',
  run: ({ isQuick }) => {
    const options = isQuick
      ? { rounds: 3, requests: 5_000, concurrency: 32 }
      : { rounds: 5, requests: 12_000, concurrency: 32 }
    return withServers({ tollbook: ['reports', {}], bare: ['bare-hono', {}] }, async ({ tollbook, bare }) => {
      const paths = Array.from({ length: SERVED_MERCHANTS }, (_, index) => reportPath(index))
      const tags = await Promise.all(paths.map((path) => readTag(tollbook.url + path)))
      const loads = [
        ['reports as JSON', 200, paths.map((path) => toRequest(path))],
        ['304', 304, paths.map((path, at) => toRequest(path, { 'if-none-match': tags[at] ?? '' }))],
      ] as const
      for (const [figure, status, requests] of loads) {
        const load = { prepare: () => requests, status }
        const [ours, theirs] = await measureInTurns(
          [
            { ...load, name: 'tollbook', server: tollbook },
            { ...load, name: PEER, server: bare },
          ],
          options,
        )
        printPair({ bench: 'served', figure: `${figure} answers`, ours, peer: PEER, theirs, options })
      }
    })
  },
}

async function readTag(url: string): Promise<string> {
  const response = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
  const tag = response.headers.get('etag')
  if (response.status !== 200 || tag === null) throw new Error(`${url} answered ${response.status}`)
  return tag
}
