import type { Benchmark } from './benchmark.ts'
import { toRequest } from './load.ts'
import { printPair, STOCK } from './print-pair.ts'
import { measureInTurns } from './rounds.ts'
import { withServers } from './server-process.ts'
import { QUERY, ROUTE } from './servers/route.ts'

const KINDS = [
  ['402 answers to requests with arguments', QUERY],
  ['402 answers to bare requests', ''],
] as const

/** Rate at which requests without a payment receive the price of the endpoint. */
export const unpaid: Benchmark = {
  name: 'unpaid',
  summary: '402 answers per second, against @x402/hono',
  run: ({ isQuick }) => {
    const options = isQuick
      ? { rounds: 3, requests: 2_500, concurrency: 32 }
      : { rounds: 7, requests: 12_000, concurrency: 32 }
    return withServers(
      {
        tollbook: ['tollbook', {}],
        signed: ['tollbook', { isSigned: true }],
        stock: ['stock', { facilitator: 'instant', checksSignature: false }],
      },
      async ({ tollbook, signed, stock }) => {
        for (const [figure, query] of KINDS) {
          const request = toRequest(`${ROUTE}${query}`)
          const load = { prepare: () => [request], status: 402 }
          const [ours, withOffers, theirs] = await measureInTurns(
            [
              { ...load, name: 'tollbook', server: tollbook },
              { ...load, name: 'tollbook, signed offers', server: signed },
              { ...load, name: STOCK, server: stock },
            ],
            options,
          )
          const pair = { bench: 'unpaid', figure, ours, peer: STOCK, theirs, options }
          printPair(pair)
          printPair({ ...pair, figure: `${figure}, with signed offers`, ours: withOffers })
        }
      },
    )
  },
}
