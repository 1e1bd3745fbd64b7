import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFigures } from '../src/report/build/build-figures.ts'
import type { MerchantFigures } from '../src/report/build/figures.ts'
import { openLedger } from '../src/report/ledger/ledger.ts'
import { NO_FLOW, placeOf } from '../src/report/screen/flow/judge-flow.ts'
import { NO_SCREEN_INPUTS } from '../src/report/screen/screen.ts'
import { SCREENS } from '../src/report/screen/screens.ts'
import type { Benchmark } from './benchmark.ts'
import { printFigure } from './figure.ts'
import { CIRCULAR_EVERY_BLOCKS, type PeerReport, reportOnPostgres } from './postgres-report.ts'
import { syntheticPayments } from './synthetic-payments.ts'

const END = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
const WINDOW = {
  startBlock: 30_000_000,
  endBlock: 30_302_400,
  start: END - 604_800,
  end: END,
  isComplete: true,
}
/** The chunk size of the indexer during a backfill. */
const PAYMENTS_PER_CHUNK = 500_000

const PAYMENTS = 10_000_000
const QUICK_PAYMENTS = 1_000_000

/**
 * Rate at which payments enter the ledger, and the time to compute the figures of every merchant for a week.
 * Plain SQL on PostgreSQL computes the same figures, which must be equal.
 */
export const report: Benchmark = {
  name: 'report',
  summary: 'payments into the ledger, and the figures of every merchant for a week, against PostgreSQL',
  async run({ isQuick }) {
    const payments = isQuick ? QUICK_PAYMENTS : PAYMENTS
    const own = await reportOnLedger(payments)
    const peer = await reportOnPostgres({ payments, ...WINDOW })
    assertSame(own, peer)
    const bench = 'report'
    const setting = { payments, merchants: own.figures.length }
    printFigure({
      bench,
      figure: 'ingest',
      unit: 'payments/s',
      value: Math.round(payments / own.ingestSeconds),
      peer: 'PostgreSQL COPY',
      peerValue: Math.round(payments / peer.ingestSeconds),
      setting,
    })
    printFigure({
      bench,
      figure: 'all merchants of a week',
      unit: 's',
      value: round(own.reportSeconds),
      peer: 'PostgreSQL, plain SQL',
      peerValue: round(peer.reportSeconds),
      setting,
    })
    printFigure({
      bench,
      figure: 'largest resident set',
      unit: 'MB',
      value: Math.round(own.peakBytes / 1e6),
      setting,
    })
  },
}

type OwnReport = {
  readonly figures: readonly MerchantFigures[]
  readonly ingestSeconds: number
  readonly reportSeconds: number
  readonly peakBytes: number
}

async function reportOnLedger(payments: number): Promise<OwnReport> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-bench-'))
  const { signal } = new AbortController()
  try {
    const ledger = await openLedger(`chdb:${folder}`, `0x${'0'.repeat(64)}`)
    let ingestMs = 0
    const attempts: number[] = []
    const circular = new Set<string>()
    for (const chunk of syntheticPayments({ payments, ...WINDOW }, PAYMENTS_PER_CHUNK)) {
      attempts.push(attempts.length + 1)
      for (const payment of chunk)
        if (payment.blockNumber % CIRCULAR_EVERY_BLOCKS === 0) circular.add(placeOf(payment))
      const startMs = performance.now()
      await ledger.insert(attempts.length, chunk, signal)
      ingestMs += performance.now() - startMs
    }
    // Places identify payments by themselves, so one merchant's flow may hold those of all.
    const flows = new Map([[`0x${'0'.repeat(40)}` as const, { ...NO_FLOW, circular }]])
    const inputs = { ...NO_SCREEN_INPUTS, flows }
    const method = { screens: SCREENS, inputs, listedPayees: new Set<never>() }
    const coverage = { firstBlock: WINDOW.startBlock, endBlock: WINDOW.endBlock, attempts }
    const startMs = performance.now()
    const figures = await buildFigures(
      ledger,
      { coverage, outflowAttempts: [], window: WINDOW, method },
      signal,
    )
    const reportSeconds = (performance.now() - startMs) / 1000
    await ledger.close()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    return { figures, ingestSeconds: ingestMs / 1000, reportSeconds, peakBytes }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @throws Error if the two differ for any merchant. */
function assertSame({ figures }: OwnReport, { merchants }: PeerReport): void {
  if (figures.length !== merchants.size) throw new Error('the peers disagree about the number of merchants')
  for (const own of figures) {
    const { paid } = own
    const text = [
      own.tx,
      own.amount,
      own.realTx,
      own.realAmount,
      own.buyers,
      own.realBuyers,
      own.topBuyerAmount,
      paid.p25,
      paid.median,
      paid.p75,
      paid.medianPassing,
      ...own.flags.map(({ kind, tx, amount }) => `${kind} ${tx} ${amount}`),
      ...own.daily.map(({ date, tx, amount, realAmount }) => `${date} ${tx} ${amount} ${realAmount}`),
    ].join()
    const peer = merchants.get(own.address)
    if (peer !== text) throw new Error(`the peers disagree about ${own.address}: ${text} / ${peer}`)
  }
}

function round(seconds: number): number {
  return Number(seconds.toFixed(2))
}
