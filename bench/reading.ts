import { BASE } from '@tollbook/chain/network'
import { toResults } from '@tollbook/chain/rpc/json-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { createHyperSync } from '@tollbook/report/chain/portals/hypersync'
import { createPortalReader } from '@tollbook/report/chain/portals/portal-reader'
import { createSqd } from '@tollbook/report/chain/portals/sqd'
import {
  type ChainPlan,
  createSimulatedChain,
  type SimulatedChain,
} from '@tollbook/testing/simulated-chain/chain'
import { answerHonestly } from '@tollbook/testing/simulated-chain/node'
import { startSimulatedPortal } from '@tollbook/testing/simulated-chain/portal'
import { findBlockClock } from '@tollbook/verify/chain/block-clock'
import { announcingEvents, BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { findAllTransactions } from '@tollbook/verify/chain/logs'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { readPayments } from '@tollbook/verify/chain/read-payments'
import { createReceiptWays } from '@tollbook/verify/chain/receipt-ways'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { PEAK_WEEK, planWeek } from './simulated-week.ts'

/** A sample of the week; figures are scaled to all of it. */
const BLOCKS = 600
const QUICK_BLOCKS = 150
/** Chosen: what else a block of Base contains. */
const OTHER = { transactions: 150, withUsdc: 40, logs: 4 } as const
/** What free plans of providers allow, and an ordinary line. */
const REQUESTS_PER_SECOND = 25
const BITS_PER_SECOND = 100e6

const { signal } = new AbortController()

/** Calls, bytes and minutes for the busiest week, by each way of reading receipts. */
export const reading: Benchmark = {
  name: 'reading',
  summary: 'calls and bytes of a week of 4,000,000 payments, by each way of reading receipts',
  async run({ isQuick }) {
    const blocks = isQuick ? QUICK_BLOCKS : BLOCKS
    const head = PEAK_WEEK.firstBlock + blocks
    const chain = createSimulatedChain(withOthers(planWeek(PEAK_WEEK)), `0x${'5'.repeat(64)}`, head)
    const portal = await startSimulatedPortal(chain)
    const { url } = portal
    try {
      for (const way of ['receipts', 'blocks', 'logs', 'HyperSync', 'SQD'] as const) {
        const [callsBefore, bytesBefore] = [portal.requests, portal.bytes]
        const node = countAnswers(chain, way)
        const startMs = performance.now()
        const payments = await readWeek(node.rpc, head, {
          ...((way === 'blocks' || way === 'logs') && { ways: createReceiptWays() }),
          ...(way === 'HyperSync' && { portals: toReader(createHyperSync({ url })) }),
          ...(way === 'SQD' && { portals: toReader(createSqd({ url })) }),
        })
        const seconds = (performance.now() - startMs) / 1_000
        const scale = PEAK_WEEK.payments / payments
        const requests = portal.requests - callsBefore
        const calls = (node.calls() + requests) * scale
        const bytes = (node.bytes() + portal.bytes - bytesBefore) * scale
        const minutes = Math.max(calls / REQUESTS_PER_SECOND, (8 * bytes) / BITS_PER_SECOND) / 60
        const setting = { payments, blocks, ofPortal: Math.round(requests * scale), ...OTHER }
        const print = (figure: string, unit: string, value: number) =>
          printFigure({ bench: 'reading', figure: `${way}: ${figure}`, unit, value: round(value), setting })
        print('calls', 'calls', calls)
        print('answers', 'GB', bytes / 1e9)
        print('at 25 calls/s and 100 Mbit/s', 'minutes', minutes)
        print('work of this process and the simulation', 'minutes', (seconds * scale) / 60)
      }
    } finally {
      await portal.close()
    }
  },
}

async function readWeek(
  rpc: Rpc,
  endBlock: number,
  ways: Pick<Parameters<typeof readPayments>[0], 'ways' | 'portals'>,
): Promise<number> {
  const { firstBlock } = PEAK_WEEK
  const range = { firstBlock, endBlock, announcing: announcingEvents(BASE_CONTRACTS) }
  const { transactions } = await findAllTransactions({ rpc, range: createRangeSize() }, range, signal)
  const clock = findBlockClock({ number: 0, hash: '0x', timestamp: BASE.genesisSeconds })
  const source = { rpc, contracts: BASE_CONTRACTS, facilitators: knownFacilitators(), clock, ...ways }
  return (await readPayments(source, transactions, signal)).payments.length
}

function toReader(portal: ReturnType<typeof createSqd>) {
  return createPortalReader({
    portals: [portal],
    contracts: BASE_CONTRACTS,
    async onChunk({ error }) {
      if (error !== undefined) throw error
    },
  })
}

/** A node that supports one way, with the size of its answers as JSON. */
function countAnswers(chain: SimulatedChain, way: string) {
  let calls = 0
  let bytes = 0
  const batch: Rpc['batch'] = async (requests) => {
    const answers = requests.map((request) => {
      calls++
      const isRefused = way === 'logs' && request.method === 'eth_getBlockReceipts'
      const isFull = way === 'blocks' && request.params[1] === true
      if (isRefused || isFull) return { error: { code: -32601, message: 'not supported' } }
      const text = JSON.stringify(answerHonestly(chain, request))
      bytes += text.length
      return JSON.parse(text) as { readonly result: unknown }
    })
    return toResults(requests, answers)
  }
  const rpc: Rpc = {
    batch,
    call: async (method, params, signal) => (await batch([{ method, params }], signal))[0],
  }
  return { rpc, calls: () => calls, bytes: () => bytes }
}

/** Adds transactions that are no payments. */
function withOthers(plan: ChainPlan): ChainPlan {
  const wallet = `0x${'0c'.repeat(20)}` as const
  const toOther = (by: 'transfer' | 'other token') => ({ buyer: wallet, merchant: wallet, amount: 7, by })
  const others = Array.from({ length: OTHER.transactions }, (_, at) => ({
    sender: wallet,
    payments: Array.from({ length: OTHER.logs }, (_, log) =>
      toOther(log === 0 && at < OTHER.withUsdc ? 'transfer' : 'other token'),
    ),
  }))
  return (block, fork) => [...others, ...plan(block, fork)]
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
