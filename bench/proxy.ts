import type { Benchmark } from './benchmark.ts'
import { toRequest } from './load.ts'
import { createPayers, readPaymentRequired } from './payers.ts'
import { printPair } from './print-pair.ts'
import { measureInTurns } from './rounds.ts'
import { startServer, withServers } from './server-process.ts'
import { QUERY, ROUTE } from './servers/route.ts'

const PAYERS = 500
const FREE_PATH = '/problems'

/** What `tollbook proxy` adds to a call: a request more, a signature, and a payment flushed to its log. */
export const proxy: Benchmark = {
  name: 'proxy',
  summary: 'calls per second through tollbook proxy, against the same calls without it',
  run: ({ isQuick }) => {
    // The proxy pays from one wallet; for concurrent calls the seller would read its balance from a chain.
    const options = { rounds: isQuick ? 3 : 5, requests: isQuick ? 200 : 1_000, concurrency: 1 }
    const payers = createPayers(PAYERS)
    return withServers({ server: ['tollbook', {}] }, async ({ server }) => {
      const between = await startServer('paying-proxy', { to: server.url })
      try {
        const required = await readPaymentRequired(server.url)
        const host = new URL(between.url).host
        const through = (path: string) => [
          Buffer.from(toRequest(path).toString().replace('host: 127.0.0.1', `host: ${host}`)),
        ]
        const [free, direct, paid, signed] = await measureInTurns(
          [
            { name: 'free, proxy', prepare: () => through(FREE_PATH), status: 200, server: between },
            { name: 'free', prepare: () => [toRequest(FREE_PATH)], status: 200, server },
            { name: 'paid, proxy', prepare: () => through(`${ROUTE}${QUERY}`), status: 200, server: between },
            { name: 'paid', prepare: (count) => payers.sign(required, count), status: 200, server },
          ],
          options,
        )
        const pair = { bench: 'proxy', options }
        printPair({ ...pair, peer: 'directly', figure: 'free answers by proxy', ours: free, theirs: direct })
        const peer = 'directly, with payments signed before'
        printPair({
          ...pair,
          peer,
          figure: 'paid calls by proxy, stub facilitator',
          ours: paid,
          theirs: signed,
        })
      } finally {
        await between.close()
      }
    })
  },
}
