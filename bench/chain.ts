import { startDevChain } from '../src/devchain/dev-chain.ts'
import { mintUsdc } from '../src/devchain/genesis.ts'
import type { Benchmark } from './benchmark.ts'
import { createPayers, type Payers, readPaymentRequired } from './payers.ts'
import { printPair, STOCK } from './print-pair.ts'
import { type Measured, measureInTurns, toMedians } from './rounds.ts'
import { withServers } from './server-process.ts'

const PAYERS = 64
/** More than any payer spends, in micro-USDC. */
const PURSE = 100_000_000n
/**
 * Without stored states, a call that reads the newest block fails when the next block is mined in the
 * meantime. The peer's facilitator treats that as a payment that cannot settle.
 */
const KEPT_STATES = 32
const PEER = `${STOCK} with its facilitator in process`

/** Rate of paid calls, from request to answer, when each payment settles on a local chain. */
export const chain: Benchmark = {
  name: 'chain',
  summary: 'paid calls per second that settle on the dev chain, against @x402/hono',
  run: async ({ isQuick }) => {
    const payers = createPayers(PAYERS)
    for (const concurrency of [1, 16]) {
      // Fewer would measure code that the engine is still compiling.
      const payments = (isQuick ? 40 : 400) * (concurrency === 1 ? 1 : 3)
      const options = { rounds: isQuick ? 1 : 3, requests: payments, concurrency }
      const ours: Measured[] = []
      const theirs: Measured[] = []
      for (let round = 0; round < options.rounds; round += 1) {
        ours.push(await measureOn('tollbook', payers, options))
        theirs.push(await measureOn('stock', payers, options))
      }
      const figure = `payments settled, ${concurrency} at a time`
      printPair({
        bench: 'chain',
        figure,
        options,
        peer: PEER,
        ours: toMedians(ours),
        theirs: toMedians(theirs),
      })
    }
  },
}

/** Each round uses a new chain, because a chain becomes slower as blocks accumulate. */
async function measureOn(
  script: 'tollbook' | 'stock',
  payers: Payers,
  load: { readonly requests: number; readonly concurrency: number },
): Promise<Measured> {
  const devChain = await startDevChain({ port: 0, storedStates: KEPT_STATES })
  const { rpcUrl } = devChain
  try {
    await mintUsdc(
      devChain.rpc,
      payers.addresses.map((to) => ({ to, amount: PURSE })),
    )
    const options = script === 'stock' ? { facilitator: 'in-process', rpcUrl } : { rpcUrl }
    return await withServers({ server: [script, options] }, async ({ server }) => {
      const paymentRequired = await readPaymentRequired(server.url)
      const prepare = (requests: number) => payers.sign(paymentRequired, requests)
      const sides = [{ name: script, server, status: 200, prepare }] as const
      const [measured] = await measureInTurns(sides, { ...load, rounds: 1 })
      return measured
    })
  } finally {
    await devChain.close()
  }
}
