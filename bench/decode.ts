import { BASE } from '../src/money/base.ts'
import { findBlockClock } from '../src/report/chain/block-clock.ts'
import { BASE_CONTRACTS } from '../src/report/chain/contracts.ts'
import { knownFacilitators } from '../src/report/chain/facilitators.ts'
import { findTransactions } from '../src/report/chain/logs.ts'
import { markFacilitators } from '../src/report/chain/payment-rule.ts'
import { createRangeSize } from '../src/report/chain/range-size.ts'
import { readPayments } from '../src/report/chain/read-payments.ts'
import type { Rpc, RpcRequest } from '../src/report/chain/rpc.ts'
import { readAnswers } from '../src/report/chain/rpc-answers.ts'
import { createSimulatedChain, type SimulatedChain } from '../test/simulated-chain/chain.ts'
import { answerHonestly } from '../test/simulated-chain/node.ts'
import type { Benchmark } from './benchmark.ts'
import { printFigure } from './figure.ts'
import { PEAK_WEEK, planWeek } from './simulated-week.ts'

/** About 5,000 payments: 14 MB of JSON. */
const BLOCKS = 380
const REQUESTS_PER_BATCH = 100
const ROUNDS = 40
const QUICK_ROUNDS = 10

/** How quickly raw JSON-RPC answers, logs and receipts as text, become joined payments, in one thread. */
export const decode: Benchmark = {
  name: 'decode',
  summary: 'raw JSON-RPC answers joined into payments, in one thread',
  async run({ isQuick }) {
    const { firstBlock } = PEAK_WEEK
    const endBlock = firstBlock + BLOCKS
    const chain = createSimulatedChain(planWeek(PEAK_WEEK), `0x${'5'.repeat(64)}`, endBlock)
    const { rpc, readBytes } = recordTexts(chain)
    const range = { firstBlock, endBlock, contracts: BASE_CONTRACTS }
    const facilitators = knownFacilitators()
    const clock = findBlockClock({ number: 0, hash: '0x', timestamp: BASE.genesisSeconds })
    const { signal } = new AbortController()
    const readAll = async () => {
      const found = await findTransactions({ rpc, range: createRangeSize() }, range, signal)
      const read = await readPayments({ rpc, contracts: BASE_CONTRACTS, clock }, found.transactions, signal)
      return markFacilitators(read.payments, facilitators).length
    }
    const perRound = await readAll()
    const bytes = readBytes()
    const rates: number[] = []
    const cpuRates: number[] = []
    for (let round = 0; round < (isQuick ? QUICK_ROUNDS : ROUNDS); round++) {
      const startMs = performance.now()
      const startCpu = process.cpuUsage()
      if ((await readAll()) !== perRound) throw new Error('a round has other payments than the first')
      rates.push((perRound / (performance.now() - startMs)) * 1000)
      const { user, system } = process.cpuUsage(startCpu)
      cpuRates.push((perRound / (user + system)) * 1e6)
    }
    printFigure({
      bench: 'decode',
      figure: 'payments from raw answers, median of rounds',
      unit: 'payments/s',
      value: toMedian(rates),
      setting: {
        payments: perRound,
        bytesPerPayment: Math.round(bytes / perRound),
        rounds: rates.length,
        // On a machine that does other work as well, only this figure says something; all threads count.
        perProcessorSecond: toMedian(cpuRates),
      },
    })
  },
}

function toMedian(rates: readonly number[]): number {
  return Math.round(rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0)
}

/** Answers each request by the text that a node would send, written once and parsed every time. */
function recordTexts(chain: SimulatedChain): { readonly rpc: Rpc; readBytes(): number } {
  const texts = new Map<string, string>()
  const ask = (requests: readonly RpcRequest[]): readonly unknown[] => {
    const key = JSON.stringify([requests[0], requests.length])
    let text = texts.get(key)
    if (text === undefined) {
      const answers = requests.map((request, id) => ({
        jsonrpc: '2.0',
        id,
        ...answerHonestly(chain, request),
      }))
      text = JSON.stringify(answers)
      texts.set(key, text)
    }
    return readAnswers(requests, JSON.parse(text))
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
    readBytes: () => [...texts.values()].reduce((sum, text) => sum + text.length, 0),
  }
}
