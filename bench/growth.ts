import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { type LedgerGrowth, STEPS } from './growth/measure-ledger.ts'
import type { LedgerOrder } from './servers/ledger-growth.ts'

const WEEK = 4_000_000
/** Weeks of that many payments: 4, 16 and 48 million. */
const WEEKS = [1, 4, 12]
const QUICK_WEEK = 100_000
const QUICK_WEEKS = [1, 4]

/** How long the statements of a week take, and what they read, as the ledger grows to twelve weeks. */
export const growth: Benchmark = {
  name: 'growth',
  summary: 'publication of a week from a ledger of up to 48,000,000 payments',
  async run({ isQuick }) {
    const week = isQuick ? QUICK_WEEK : WEEK
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-bench-'))
    try {
      const url = (name: string) => `duckdb:${join(folder, name)}`
      const small = await fillAndMeasure(url('small'), { from: 0, weeks: 1, payments: week / 4 })
      printSizes(small, { payments: week / 4, weeks: 1 })
      let [filled, alone]: [number, LedgerGrowth | null] = [0, null]
      for (const weeks of isQuick ? QUICK_WEEKS : WEEKS) {
        const measured = await fillAndMeasure(url('year'), { from: filled, weeks, payments: week })
        filled = weeks
        alone ??= measured
        if (measured.digest !== alone.digest) throw new Error('the same week has other figures')
        printSizes(measured, { payments: week, weeks })
        if (measured !== alone) printBeside(measured, alone, { payments: week, weeks })
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type Size = { readonly payments: number; readonly weeks: number }

/** @param from how many weeks the ledger has */
async function fillAndMeasure(
  url: string,
  { from, weeks, payments }: Size & { readonly from: number },
): Promise<LedgerGrowth> {
  const startMs = performance.now()
  await order({ url, fill: { first: from, last: weeks - 1, payments } })
  const seconds = (performance.now() - startMs) / 1000
  process.stderr.write(`  ${(weeks - from) * payments} payments generated in ${seconds.toFixed(0)} s\n`)
  return (await order({ url, measure: { weeks } })) as LedgerGrowth
}

async function order(own: LedgerOrder): Promise<unknown> {
  const child = fork(new URL('./servers/ledger-growth.ts', import.meta.url), [JSON.stringify(own)])
  const exited = once(child, 'exit')
  const ended = exited.then(([code]) => {
    throw new Error(`the ledger's process ended with code ${code}`)
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  // The ledger's folder is locked until its process has ended.
  await exited
  return message
}

function printSizes(measured: LedgerGrowth, { payments, weeks }: Size): void {
  const of = `${toMillions(measured.rows)}, a week of ${toMillions(payments)}`
  const load = Number(loadavg()[0]?.toFixed(1))
  const { digest, parts } = measured
  const print = (figure: string, unit: string, value: number, more = {}) =>
    printFigure({
      bench: 'growth',
      figure: `${figure}, ledger of ${of}`,
      unit,
      value: Number(value.toPrecision(3)),
      setting: { payments, weeks, load, ...more },
    })
  print('publication of the week', 's', publicationOf(measured).seconds)
  for (const [name, { seconds, rows }] of Object.entries(measured.reads))
    print(name, 'ms', 1000 * seconds, { rows })
  print('largest resident set', 'MB', measured.peakMegabytes)
  print('a payment on disk', 'bytes', measured.bytesEach, { parts, digest })
}

/** Prints what grew, next to the same of a ledger of one week. */
function printBeside(measured: LedgerGrowth, alone: LedgerGrowth, { payments, weeks }: Size): void {
  const of = `ledger of ${toMillions(payments * weeks)}`
  const print = (figure: string, unit: string, value: number, peerValue: number) =>
    printFigure({
      bench: 'growth',
      figure: `${figure}, ${of}`,
      unit,
      value: Number(value.toPrecision(3)),
      peer: `a ledger of ${toMillions(alone.rows)}, one week`,
      peerValue: Number(peerValue.toPrecision(3)),
    })
  const [own, before] = [publicationOf(measured), publicationOf(alone)]
  print('publication of a week', 's', own.seconds, before.seconds)
  for (const name of READ_BY_OTHERS) {
    const [{ seconds }, { seconds: then }] = [readOf(measured, name), readOf(alone, name)]
    print(name, 'ms', 1000 * seconds, 1000 * then)
  }
  print('largest resident set', 'MB', measured.peakMegabytes, alone.peakMegabytes)
  print('a payment on disk', 'bytes', measured.bytesEach, alone.bytesEach)
}

const READ_BY_OTHERS = [
  'page of a merchant',
  'page of the ranking',
  'a merchant of 1 %, every payment',
  'attempts of the whole ledger',
] as const

function publicationOf(measured: LedgerGrowth) {
  const steps = Object.values(STEPS).map((step) => readOf(measured, step))
  return {
    seconds: steps.reduce((sum, { seconds }) => sum + seconds, 0),
    rows: steps.reduce((sum, { rows }) => sum + rows, 0),
  }
}

function readOf({ reads }: LedgerGrowth, name: string) {
  return reads[name] ?? { seconds: Number.NaN, rows: Number.NaN }
}

function toMillions(rows: number): string {
  return `${Number((rows / 1e6).toPrecision(3))} million`
}
