import { BASE } from '@tollbook/chain/network'
import type { RpcRequest } from '@tollbook/chain/rpc/json-rpc'
import { matchAnswers, toResults } from '@tollbook/chain/rpc/json-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { createSimulatedChain, type SimulatedChain } from '@tollbook/testing/simulated-chain/chain'
import { answerHonestly } from '@tollbook/testing/simulated-chain/node'
import { findBlockClock } from '@tollbook/verify/chain/block-clock'
import { announcingEvents, BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { findTransactions } from '@tollbook/verify/chain/logs'
import { markFacilitators } from '@tollbook/verify/chain/payment-rule'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { readPayments } from '@tollbook/verify/chain/read-payments'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { median } from './rounds.ts'
import { PEAK_WEEK, planWeek } from './simulated-week.ts'
import { joinWithViem, VIEM } from './viem-payments.ts'

/** About 5,000 payments: 14 MB of JSON. */
const BLOCKS = 380
const REQUESTS_PER_BATCH = 100
const ROUNDS = 40
const QUICK_ROUNDS = 10

/**
 * Time to turn the bytes of JSON-RPC answers (logs and receipts) into joined and flagged payments, in one
 * thread.
 */
export const decode: Benchmark = {
  name: 'decode',
  summary: 'raw JSON-RPC answers joined into payments, in one thread, against viem',
  async run({ isQuick }) {
    const { firstBlock } = PEAK_WEEK
    const endBlock = firstBlock + BLOCKS
    const chain = createSimulatedChain(planWeek(PEAK_WEEK), `0x${'5'.repeat(64)}`, endBlock)
    const { rpc, bodies } = recordBodies(chain)
    const range = { firstBlock, endBlock, announcing: announcingEvents(BASE_CONTRACTS) }
    const facilitators = knownFacilitators()
    const clock = findBlockClock({ number: 0, hash: '0x', timestamp: BASE.genesisSeconds })
    const { signal } = new AbortController()
    const readAll = async () => {
      const found = await findTransactions({ rpc, range: createRangeSize() }, range, signal)
      const read = await readPayments(
        { rpc, contracts: BASE_CONTRACTS, facilitators, clock },
        found.transactions,
        signal,
      )
      return markFacilitators(read.payments, facilitators).length
    }
    const readWithViem = () => Promise.resolve(joinWithViem(bodies()))
    const payments = await readAll()
    const bytes = bodies().reduce((sum, body) => sum + body.length, 0)
    const [ours, theirs]: readonly [Round[], Round[]] = [[], []]
    // The sides alternate, so that other work on the machine affects both equally.
    for (let round = 0; round < (isQuick ? QUICK_ROUNDS : ROUNDS); round++) {
      ours.push(await measure(readAll, payments))
      theirs.push(await measure(readWithViem, payments))
    }
    const setting = { payments, bytesPerPayment: Math.round(bytes / payments), rounds: ours.length }
    const rateOf = (rounds: readonly Round[]) => Math.round(median(rounds.map(({ perSecond }) => perSecond)))
    const cpuOf = (rounds: readonly Round[]) =>
      Number(median(rounds.map(({ cpuMicros }) => cpuMicros)).toPrecision(3))
    printFigure({
      bench: 'decode',
      figure: 'payments from raw answers, median of rounds',
      unit: 'payments/s',
      value: rateOf(ours),
      peer: VIEM,
      peerValue: rateOf(theirs),
      setting,
    })
    // On a machine that also does other work, only this figure is meaningful. It includes all threads.
    printFigure({
      bench: 'decode',
      figure: 'processor time of a payment',
      unit: 'µs, less is better',
      value: cpuOf(ours),
      peer: VIEM,
      peerValue: cpuOf(theirs),
    })
  },
}

type Round = { readonly perSecond: number; readonly cpuMicros: number }

async function measure(read: () => Promise<number>, payments: number): Promise<Round> {
  const startMs = performance.now()
  const startCpu = process.cpuUsage()
  const found = await read()
  const { user, system } = process.cpuUsage(startCpu)
  const perSecond = (payments / (performance.now() - startMs)) * 1000
  if (found !== payments) throw new Error(`a round has ${found} payments, the first had ${payments}`)
  return { perSecond, cpuMicros: (user + system) / payments }
}

/**
 * Answers each request with the bytes that a node would send. They are written once and parsed every time.
 */
function recordBodies(chain: SimulatedChain): { readonly rpc: Rpc; bodies(): readonly Uint8Array[] } {
  const bodies = new Map<string, Uint8Array>()
  const ask = (requests: readonly RpcRequest[]): readonly unknown[] => {
    const key = JSON.stringify([requests[0], requests.length])
    let body = bodies.get(key)
    if (body === undefined) {
      const answers = requests.map((request, id) => ({
        jsonrpc: '2.0',
        id,
        ...answerHonestly(chain, request),
      }))
      body = new TextEncoder().encode(JSON.stringify(answers))
      bodies.set(key, body)
    }
    return toResults(requests, matchAnswers(requests, JSON.parse(new TextDecoder().decode(body))))
  }
  return {
    rpc: {
      call: (method, params) => Promise.resolve(ask([{ method, params }])[0]),
      batch(requests) {
        const results: (readonly unknown[])[] = []
        for (let at = 0; at < requests.length; at += REQUESTS_PER_BATCH)
          results.push(ask(requests.slice(at, at + REQUESTS_PER_BATCH)))
        return Promise.resolve(results.flat())
      },
    },
    bodies: () => [...bodies.values()],
  }
}
