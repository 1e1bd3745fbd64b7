import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { mintUsdc } from '@tollbook/devchain/genesis'
import type { Benchmark } from './benchmark.ts'
import { createPayers, type Payers, readPaymentRequired } from './payers.ts'
import { printPair, STOCK } from './print-pair.ts'
import { type Measured, measureInTurns, type RoundOptions, toMedians } from './rounds.ts'
import { type ServerProcess, withServers } from './server-process.ts'
import { openVoucherPayers } from './vouchers.ts'

const PAYERS = 64
/** More than any payer spends, in micro-USDC. */
const PURSE = 100_000_000n
/**
 * Without stored states, a call that reads the newest block fails when the next block is mined in the
 * meantime. The peer's facilitator treats that as a payment that cannot settle.
 */
const KEPT_STATES = 32
/** Of Base. */
const BLOCK_SECONDS = 2
/**
 * The peer refuses some payments: viem's nonce manager at times gives out a nonce that is already mined, and
 * the facilitator of the SDK does not try again. After a nonce that it leaves out it refuses all, or waits for
 * minutes; such a round is repeated.
 */
const PEER_LIMITS = { mayRefuse: 0.05, maxSeconds: 180 }
const PEER_ATTEMPTS = 5
const PEER = `${STOCK} with its facilitator in process`

/** Rate of paid calls, from request to answer, when each payment settles on a local chain. */
export const chain: Benchmark = {
  name: 'chain',
  summary:
    'paid calls per second that settle on the dev chain, against @x402/hono; and by vouchers of channels, against exact',
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
        theirs.push(await measurePeer(payers, options))
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
    const options = { rounds: isQuick ? 1 : 3, requests: isQuick ? 256 : 2048, concurrency: 32 }
    const [ours, theirs] = await measureVouchers(payers, options)
    const figure = `calls paid by voucher, ${options.concurrency} at a time`
    const peer = `exact on the same server, ${2 * options.concurrency} calls, a block every ${BLOCK_SECONDS} s`
    printPair({ bench: 'chain', figure, options, peer, ours, theirs })
  },
}

/**
 * The same server sells by voucher, then by `exact`. The channels are open before the clock starts, and blocks come
 * at the interval of Base: a chain that mines at once would hide what waiting for a settlement costs.
 */
function measureVouchers(payers: Payers, options: RoundOptions): Promise<readonly [Measured, Measured]> {
  return withServer('tollbook', payers, async (server, { rpcUrl, rpc }) => {
    const paymentRequired = await readPaymentRequired(server.url)
    const vouchers = await openVoucherPayers({ url: server.url, rpcUrl, paymentRequired }, payers.keys)
    await rpc.call('evm_setAutomine', [false])
    await rpc.call('evm_setIntervalMining', [BLOCK_SECONDS])
    const [byVoucher] = await measureInTurns(
      [{ name: 'voucher', server, status: 200, prepare: vouchers }] as const,
      options,
    )
    const prepare = (requests: number) => payers.sign(paymentRequired, requests)
    const [byExact] = await measureInTurns([{ name: 'exact', server, status: 200, prepare }] as const, {
      ...options,
      requests: 2 * options.concurrency,
    })
    return [byVoucher, byExact] as const
  })
}

async function measurePeer(payers: Payers, load: Load, attempt = 1): Promise<Measured> {
  try {
    return await measureOn('stock', payers, load)
  } catch (error) {
    if (attempt === PEER_ATTEMPTS) throw error
    process.stderr.write(`  ${error}; again\n`)
    return measurePeer(payers, load, attempt + 1)
  }
}

type Load = Omit<RoundOptions, 'rounds'>

function measureOn(script: 'tollbook' | 'stock', payers: Payers, load: Load): Promise<Measured> {
  return withServer(script, payers, async (server) => {
    const paymentRequired = await readPaymentRequired(server.url)
    const prepare = (requests: number) => payers.sign(paymentRequired, requests)
    const limits = script === 'stock' ? PEER_LIMITS : {}
    const sides = [{ name: script, server, status: 200, prepare, ...limits }] as const
    const [measured] = await measureInTurns(sides, { ...load, rounds: 1 })
    return measured
  })
}

/** Each use has a new chain, because a chain becomes slower as blocks accumulate. */
async function withServer<Result>(
  script: 'tollbook' | 'stock',
  payers: Payers,
  use: (server: ServerProcess, devChain: DevChain) => Promise<Result>,
): Promise<Result> {
  const devChain = await startDevChain({ port: 0, storedStates: KEPT_STATES })
  const { rpcUrl } = devChain
  try {
    await mintUsdc(
      devChain.rpc,
      payers.addresses.map((to) => ({ to, amount: PURSE })),
    )
    const options = script === 'stock' ? { facilitator: 'in-process', rpcUrl } : { rpcUrl }
    return await withServers({ server: [script, options] }, ({ server }) => use(server, devChain))
  } finally {
    await devChain.close()
  }
}
