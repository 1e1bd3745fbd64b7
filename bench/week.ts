import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE } from '@tollbook/chain/network'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { createProgress } from '@tollbook/flow/progress'
import { buildFigures } from '@tollbook/report/build/build-figures'
import { type Nodes, openNodes } from '@tollbook/report/chain/nodes'
import { readCoverage, startCoverage } from '@tollbook/report/ledger/coverage/coverage'
import { type Ledger, openLedger } from '@tollbook/report/ledger/ledger'
import { createIndexer } from '@tollbook/report/pipeline/indexing'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { SCREENS } from '@tollbook/verify/screen/screens'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { type ServerProcess, withServers } from './server-process.ts'
import { PEAK_WEEK, type WeekSize } from './simulated-week.ts'

/** A twentieth, for a quick look. */
const QUICK_WEEK: WeekSize = { ...PEAK_WEEK, blocks: 15_120, payments: 200_000 }

/** Time for the busiest week, from the JSON-RPC of a node to the figures of every merchant. */
export const week: Benchmark = {
  name: 'week',
  summary:
    'backfill of a simulated week of 4,000,000 payments over JSON-RPC, and the reports of all merchants',
  async run({ isQuick }) {
    const size = isQuick ? QUICK_WEEK : PEAK_WEEK
    await withServers({ node: ['simulated-node', size] }, ({ node }) => measureWeek(size, node))
  },
}

async function measureWeek(size: WeekSize, node: ServerProcess): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-bench-'))
  const { signal } = new AbortController()
  const fetching = createStopwatch()
  const reading = createStopwatch()
  const inserting = createStopwatch()
  const setting = { ...size, load: Number(loadavg()[0]?.toFixed(1)) }
  const print = (figure: string, unit: string, value: number) =>
    printFigure({ bench: 'week', figure, unit, value: Number(value.toPrecision(4)), setting })
  try {
    const opened = await openNodes({ urls: [node.url], chainId: BASE.chainId }, signal)
    const nodes = timeNodes(opened, { fetching, reading })
    const chain = nodes.genesis.hash
    const ledger = timeInserts(await openLedger(`duckdb:${join(folder, 'ledger')}`, chain), inserting)
    const state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
    await migrateState(state)
    await startCoverage({ state, chain }, size.firstBlock, new Date())
    const facilitators = knownFacilitators()
    const options = { state, chain, ledger, nodes, facilitators, isCrossChecked: false }
    const indexer = createIndexer({ ...options, head: 'safe', now: () => new Date() })

    const startMs = performance.now()
    const startCpu = process.cpuUsage()
    const { phase } = createProgress()
    let payments = 0
    await phase('backfill', ({ at }) =>
      indexer.indexToHead(signal, (progress) => {
        payments = progress.payments
        const { firstBlock, endBlock, head } = progress
        at(endBlock - firstBlock, head + 1 - firstBlock, 'blocks', { payments })
      }),
    )
    const seconds = (performance.now() - startMs) / 1000
    const { user, system } = process.cpuUsage(startCpu)
    if (payments !== size.payments) throw new Error(`${payments} payments were found, not ${size.payments}`)

    const coverage = await readCoverage({ state, chain })
    const start = BASE.genesisSeconds + BASE.blockSeconds * size.firstBlock
    const window = { startBlock: size.firstBlock, endBlock: coverage.endBlock, isComplete: true }
    const method = { screens: SCREENS, inputs: NO_SCREEN_INPUTS, listedPayees: new Set<never>() }
    const times = { start, end: start + BASE.blockSeconds * size.blocks }
    const selection = { coverage, outflowAttempts: [], window: { ...window, ...times }, method }
    const buildMs = performance.now()
    const figures = await buildFigures(ledger, selection, signal)
    const buildSeconds = (performance.now() - buildMs) / 1000

    print('backfill', 's', seconds)
    print('backfill', 'payments/s', payments / seconds)
    print('stage: waiting for answers, parsing them', 's', fetching.seconds())
    print('stage: reading in all (answers, decoding, joining)', 's', reading.seconds())
    print('stage: inserting, while the next is read', 's', inserting.seconds())
    print('processor time of the indexer', 's', (user + system) / 1e6)
    print('processor time of the simulated node', 's', (await node.readCpu()) / 1e6)
    print(`reports of all ${figures.length} merchants`, 's', buildSeconds)
    print('largest resident set', 'MB', process.resourceUsage().maxRSS / 1000)
    await state.close()
    await ledger.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Stopwatch = { run<T>(work: () => Promise<T>): Promise<T>; seconds(): number }

/** Measures the time during which at least one task is running. */
function createStopwatch(): Stopwatch {
  let running = 0
  let sinceMs = 0
  let totalMs = 0
  return {
    async run(work) {
      if (running++ === 0) sinceMs = performance.now()
      try {
        return await work()
      } finally {
        if (--running === 0) totalMs += performance.now() - sinceMs
      }
    },
    seconds: () => totalMs / 1000,
  }
}

function timeNodes(
  nodes: Nodes,
  { fetching, reading }: { readonly fetching: Stopwatch; readonly reading: Stopwatch },
): Nodes {
  const timed = (rpc: Rpc): Rpc => ({
    call: (method, params, signal) => fetching.run(() => rpc.call(method, params, signal)),
    batch: (requests, signal) => fetching.run(() => rpc.batch(requests, signal)),
  })
  return {
    ...nodes,
    use: (work, signal) =>
      reading.run(() =>
        nodes.use((node, findWitness) => work({ ...node, rpc: timed(node.rpc) }, findWitness), signal),
      ),
  }
}

function timeInserts(ledger: Ledger, inserting: Stopwatch): Ledger {
  return {
    ...ledger,
    insert: (attempt, payments, signal) => inserting.run(() => ledger.insert(attempt, payments, signal)),
  }
}
