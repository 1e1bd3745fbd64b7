import { devPayTo } from '@tollbook/chain/dev-accounts'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { mintUsdc } from '@tollbook/devchain/genesis'
import { numberToHex } from 'viem'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { toRequest } from './load.ts'
import { createPayers, type Payers } from './payers.ts'
import { printPair } from './print-pair.ts'
import { type Measured, measureInTurns, median, toMedians } from './rounds.ts'
import { withServers } from './server-process.ts'
import type { FacilitatorServerOptions } from './servers/facilitator.ts'
import { describeRoute } from './servers/route.ts'

const PAYERS = 256
/** More than any payer spends, in micro-USDC. */
const PURSE = 100_000_000n
const CONCURRENCY = 64
/** As in chain.ts. */
const KEPT_STATES = 32
const STOCK_FACILITATOR = 'the facilitator of @x402/core 2.27.0 over HTTP'

type Kind = FacilitatorServerOptions['kind']
type Round = Measured & { readonly gas: number }

/** Rate of settlements over HTTP, from request to answer, when each settles on a local chain. */
export const facilitator: Benchmark = {
  name: 'facilitator',
  summary: 'settlements per second over HTTP on the dev chain, against the SDK and single transactions',
  run: async ({ isQuick }) => {
    const payers = createPayers(PAYERS)
    const options = {
      rounds: isQuick ? 1 : 3,
      requests: isQuick ? 500 : 2_000,
      concurrency: CONCURRENCY,
    }
    const rounds: Record<Kind, Round[]> = { batches: [], singles: [], stock: [] }
    for (let round = 0; round < options.rounds; round += 1)
      for (const kind of ['batches', 'singles', 'stock'] as const)
        rounds[kind].push(await measure(kind, payers, options))
    const ours = toMedians(rounds.batches)
    for (const [kind, peer] of [
      ['stock', STOCK_FACILITATOR],
      ['singles', 'a transaction for each payment'],
    ] as const) {
      const theirs = toMedians(rounds[kind])
      printPair({ bench: 'facilitator', figure: 'settlements', options, peer, ours, theirs })
      printFigure({
        bench: 'facilitator',
        figure: 'gas of a settlement',
        unit: 'gas, less is better',
        value: gasOf(rounds.batches),
        peer,
        peerValue: gasOf(rounds[kind]),
      })
    }
  },
}

function gasOf(rounds: readonly Round[]): number {
  return Math.round(median(rounds.map(({ gas }) => gas)))
}

/** Each round uses a new chain, because a chain becomes slower as blocks accumulate. */
async function measure(
  kind: Kind,
  payers: Payers,
  load: { readonly requests: number; readonly concurrency: number },
): Promise<Round> {
  const chain = await startDevChain({ port: 0, storedStates: KEPT_STATES })
  try {
    await mintUsdc(
      chain.rpc,
      payers.addresses.map((to) => ({ to, amount: PURSE })),
    )
    const options: FacilitatorServerOptions = { kind, rpcUrl: chain.rpcUrl }
    const firstBlock = (await headOf(chain)) + 1
    return await withServers({ server: ['facilitator', options] }, async ({ server }) => {
      let sent = 0
      const prepare = async (requests: number) => {
        sent += requests
        return toSettleRequests(payers, requests)
      }
      const sides = [{ name: kind, server, status: 200, prepare }] as const
      const [measured] = await measureInTurns(sides, { ...load, rounds: 1 })
      return { ...measured, gas: (await readGas(chain, firstBlock)) / sent }
    })
  } finally {
    await chain.close()
  }
}

async function toSettleRequests(payers: Payers, requests: number): Promise<readonly Buffer[]> {
  const { resource, accepts } = describeRoute('http://127.0.0.1')
  const offer = {
    x402Version: 2,
    resource,
    accepts: accepts.map((terms) => ({ ...terms, payTo: devPayTo.utility })),
  }
  const toBytes = (headers: Readonly<Record<string, string>>) => {
    const paymentPayload = JSON.parse(Buffer.from(headers['payment-signature'] ?? '', 'base64').toString())
    const body = { x402Version: 2, paymentPayload, paymentRequirements: paymentPayload.accepted }
    return toRequest('/settle', {}, JSON.stringify(body))
  }
  return payers.sign({ ...offer, extensions: {} } as never, requests, toBytes)
}

async function headOf({ rpc }: DevChain): Promise<number> {
  return Number(await rpc.call('eth_blockNumber', []))
}

/** The gas of all blocks from one on. */
async function readGas(chain: DevChain, firstBlock: number): Promise<number> {
  let gas = 0
  const head = await headOf(chain)
  for (let block = firstBlock; block <= head; block += 1) {
    const { gasUsed } = await chain.rpc.call<{ gasUsed: string }>('eth_getBlockByNumber', [
      numberToHex(block),
      false,
    ])
    gas += Number(gasUsed)
  }
  return gas
}
