import { fork } from 'node:child_process'
import { once } from 'node:events'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { type PeerReport, reportOnPostgres } from './postgres-report.ts'
import { type OwnReport, reportOnLedger, WINDOW } from './report-on-ledger.ts'
import type { GrowthStep } from './servers/report-size.ts'

/** Two methods are measured alternately, so often; the shortest times count. */
const ROUNDS = 3
const PAYMENTS = 10_000_000
const QUICK_PAYMENTS = 1_000_000
/** Sizes at which the growth of time and memory is measured, each in a process of its own. */
const SIZES = [1_000_000, 4_000_000, 16_000_000, 48_000_000]
const QUICK_SIZES = [1_000_000, 4_000_000]

/**
 * Rate at which payments enter the ledger, and the time to compute the figures of every merchant for a week.
 * Plain SQL on PostgreSQL computes the same figures, which must be equal.
 */
export const report: Benchmark = {
  name: 'report',
  summary: 'payments into the ledger, and the figures of every merchant for a week, against PostgreSQL',
  async run({ isQuick }) {
    const payments = isQuick ? QUICK_PAYMENTS : PAYMENTS
    const own = await reportOnLedger(payments, ROUNDS)
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
      figure: 'all merchants of a week, a quarter of them listed',
      unit: 's',
      value: round(own.compared.listedSeconds),
      peer: 'the screens of version 2',
      peerValue: round(own.compared.beforeSeconds),
      setting,
    })
    printFigure({
      bench,
      figure: 'largest resident set',
      unit: 'MB',
      value: Math.round(own.peakBytes / 1e6),
      setting,
    })
    for (const size of isQuick ? QUICK_SIZES : SIZES) await printGrowth(size)
  },
}

async function printGrowth(payments: number): Promise<void> {
  const child = fork(new URL('./servers/report-size.ts', import.meta.url), [`${payments}`])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the report over ${payments} payments ended with code ${code}`)
  })
  const [step] = (await Promise.race([once(child, 'message'), ended])) as [GrowthStep]
  const of = `${payments / 1e6} million payments`
  const setting = { payments, merchants: step.merchants }
  const { reportSeconds, peakMegabytes } = step
  printFigure({ bench: 'report', figure: `all merchants, ${of}`, unit: 's', value: reportSeconds, setting })
  printFigure({ bench: 'report', figure: `resident set, ${of}`, unit: 'MB', value: peakMegabytes, setting })
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
