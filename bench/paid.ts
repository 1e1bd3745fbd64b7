import type { Benchmark } from './benchmark.ts'
import { createPayers, readPaymentRequired } from './payers.ts'
import { printPair, STOCK } from './print-pair.ts'
import { measureInTurns, type Side } from './rounds.ts'
import { type ServerProcess, withServers } from './server-process.ts'

/** More than the concurrency, so that no payer ever has two calls in progress. */
const PAYERS = 500

/**
 * Rate of paid calls when the chain costs nothing. Ours writes its whole ledger to disk, the peer has no
 * ledger. The signature must be checked: ours does that itself, so the peer's facilitator does too. A second
 * peer has a facilitator that checks nothing.
 */
export const paid: Benchmark = {
  name: 'paid',
  summary: 'paid calls per second with a facilitator that answers at once, against @x402/hono',
  run: ({ isQuick }) => {
    // A payment is valid for 60 s, so a round must end before that.
    const options = isQuick
      ? { rounds: 3, requests: 600, concurrency: 32 }
      : { rounds: 5, requests: 3_000, concurrency: 32 }
    const payers = createPayers(PAYERS)
    const toSide = async (name: string, server: ServerProcess): Promise<Side> => {
      const paymentRequired = await readPaymentRequired(server.url)
      return { name, server, status: 200, prepare: (requests) => payers.sign(paymentRequired, requests) }
    }
    return withServers(
      {
        tollbook: ['tollbook', {}],
        signed: ['tollbook', { isSigned: true }],
        checking: ['stock', { facilitator: 'instant', checksSignature: true }],
        trusting: ['stock', { facilitator: 'instant', checksSignature: false }],
      },
      async ({ tollbook, signed, checking, trusting }) => {
        const peers = [`${STOCK}, signatures checked by viem`, `${STOCK}, nothing checked or stored`] as const
        const [ours, withReceipts, checked, trusted] = await measureInTurns(
          [
            await toSide('tollbook', tollbook),
            await toSide('tollbook, signed receipts', signed),
            await toSide(peers[0], checking),
            await toSide(peers[1], trusting),
          ],
          options,
        )
        const pair = { bench: 'paid', figure: 'paid calls, stub facilitator', ours, options }
        printPair({ ...pair, peer: peers[0], theirs: checked })
        printPair({ ...pair, peer: peers[1], theirs: trusted })
        const figure = `${pair.figure}, with signed receipts`
        printPair({ ...pair, figure, ours: withReceipts, peer: peers[0], theirs: checked })
      },
    )
  },
}
