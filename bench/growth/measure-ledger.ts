import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address } from '@tollbook/chain/hex'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { buildFigures } from '@tollbook/report/build/build-figures'
import { readFieldFigures } from '@tollbook/report/build/field-figures'
import { readBuyersOfSenders, readEdges } from '@tollbook/report/build/money-moves'
import { readEvidence } from '@tollbook/report/build/read-evidence'
import { readWindowEvidence } from '@tollbook/report/build/read-window-evidence'
import { narrowMethod, readLargestBuyers, readMerchants } from '@tollbook/report/build/wallets-of-window'
import { describeBasis } from '@tollbook/report/editions/basis'
import { composeEdition } from '@tollbook/report/editions/compose-edition'
import { storeRolling } from '@tollbook/report/editions/store-rolling'
import { FIRST_REVISION, storeWeek } from '@tollbook/report/editions/store-week'
import { openServers } from '@tollbook/report/ledger/clickhouse/servers'
import { DuckdbDatabase, FILE } from '@tollbook/report/ledger/duckdb/duckdb-database'
import { type Ledger, openLedger } from '@tollbook/report/ledger/ledger'
import { folderOf } from '@tollbook/report/ledger/ledger-url'
import { createReportApp } from '@tollbook/report/service'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { METHOD_VERSION, SCREENS } from '@tollbook/verify/screen/screens'
import { pino } from 'pino'
import { attemptsOf, CHAIN, newestWeek } from './synthetic-year.ts'

/** Of repeated reads the fastest counts, since other work makes them slower. */
const REPEATS = 2
/** The evidence file is written page by page; so many payments show what a page costs. */
const SAMPLED_PAYMENTS = 250_000
/** More than the buyers of a publication that are followed. */
const MAX_BUYERS = 10_000
const BASE_URL = 'https://tollbook.example'

/** The steps of a publication, by the names of their reads. */
export const STEPS = {
  merchants: 'merchants of the week',
  buyers: 'largest buyers',
  senders: 'buyers of merchants that sent money',
  edges: 'who sent to whom',
  figures: 'figures of all merchants',
  field: 'figures of the field',
  evidence: '250,000 payments for the evidence file',
  reports: 'reports stored',
} as const

/** Seconds of a read, and the rows that the engine read for it. */
export type Read = { readonly seconds: number; readonly rows: number }

export type LedgerGrowth = {
  readonly rows: number
  readonly bytesEach: number
  readonly parts: number
  /** Of the figures of the week, to compare them between ledgers. */
  readonly digest: string
  readonly reads: Readonly<Record<string, Read>>
  readonly peakMegabytes: number
}

/** Reads the newest week of a ledger as its publication does, and what others read of it. */
export async function measureLedger(url: string, weeks: number): Promise<LedgerGrowth> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-bench-'))
  const ledger = await openLedger(url, CHAIN)
  const state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
  const { signal } = new AbortController()
  const reads: Record<string, Read> = {}
  async function time<T>(name: string, work: () => Promise<T>, repeats = REPEATS): Promise<T> {
    for (let left = repeats; ; left -= 1) {
      const before = await readRows(ledger, signal)
      const startMs = performance.now()
      const result = await work()
      const seconds = (performance.now() - startMs) / 1000
      const rows = (await readRows(ledger, signal)) - before
      reads[name] = { rows, seconds: Math.min(seconds, reads[name]?.seconds ?? seconds) }
      if (left <= 1) return result
    }
  }
  try {
    await migrateState(state)
    const stored = await readSize(url, signal)
    const window = newestWeek(weeks)
    const attempts = attemptsOf(weeks)
    const coverage = { firstBlock: window.endBlock - weeks * 302_400, endBlock: window.endBlock, attempts }
    const all = { screens: SCREENS, inputs: NO_SCREEN_INPUTS, listedPayees: new Set<never>() }
    const paid = await time(STEPS.merchants, () =>
      readMerchants(ledger, { coverage, window, method: all }, signal),
    )
    const method = narrowMethod(all, paid)
    const selection = { coverage, window, method, outflowAttempts: attempts }
    const followed = { ...selection, max: MAX_BUYERS, isSameTransaction: false }
    await time(STEPS.buyers, () => readLargestBuyers(ledger, { ...selection, max: MAX_BUYERS }, signal))
    await time(STEPS.senders, () => readBuyersOfSenders(ledger, followed, signal))
    await time(STEPS.edges, () => readEdges(ledger, { window, coverage, attempts }, signal))
    const figures = await time(STEPS.figures, () => buildFigures(ledger, selection, signal))
    const field = await time(STEPS.field, () => readFieldFigures(ledger, selection, signal))
    const basis = describeBasis({
      genesis: CHAIN,
      method,
      facilitators: { list: 'synthetic', addresses: new Set() },
      labels: null,
    })
    const ofWindow = {
      window,
      methodVersion: METHOD_VERSION,
      merchants: figures,
      field,
      claimsAndListings: new Map(),
    }
    await time(STEPS.evidence, () =>
      readFirst(readWindowEvidence(ledger, selection, signal), SAMPLED_PAYMENTS),
    )
    const composing = { basis, baseUrl: BASE_URL, now: new Date(window.end * 1000) }
    const evidence = { file: 'none', sha256: '0'.repeat(64), bytes: 0, places: new Map() }
    const storeReports = async () => {
      const of = { ...composing, revision: FIRST_REVISION, evidence }
      return storeWeek(state, await composeEdition({ ...ofWindow, edition: '2026-11-15' }, of), BASE_URL)
    }
    await time(STEPS.reports, storeReports, 1)
    const rolling = await composeEdition({ ...ofWindow, edition: ROLLING }, composing)
    await storeRolling(state, rolling, new Map())

    const payments = (merchant: Address) => readEvidence(ledger, { ...selection, merchant }, signal)
    const app = createReportApp({
      state,
      baseUrl: BASE_URL,
      publishSeconds: 600,
      freshMs: 0,
      logger: pino({ level: 'silent' }),
      evidence: { payments: ({ merchant }) => payments(merchant) },
    })
    const ask = async (path: string) => {
      const answer = await app.request(path)
      if (answer.status !== 200) throw new Error(`${path} is ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
    const [first, middle] = [figures[0], figures[Math.floor(figures.length / 100)]]
    if (!first || !middle) throw new Error('nobody was paid')
    await time('page of a merchant', () => ask(`/merchants/base/${first.address}`))
    await time('page of the ranking', () => ask('/'))
    await time('a merchant of 1 %, every payment', () => trace(middle, payments(middle.address)))
    await time('the first merchant, every payment', () => trace(first, payments(first.address)), 1)
    const whole = `SELECT attempt FROM ${ledger.table} WHERE ts >= 0 GROUP BY attempt`
    await time('attempts of the whole ledger', () => ledger.rows(whole, signal))
    const text = JSON.stringify(
      figures.map(({ returningBuyers: _, ...own }) => own),
      (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    )
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
    const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1e3)
    return { ...stored, digest, reads, peakMegabytes }
  } finally {
    await state.close()
    await ledger.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function readFirst(payments: AsyncIterable<unknown>, count: number): Promise<void> {
  let left = count
  for await (const _ of payments) if (--left <= 0) return
}

/** Adds up every payment of a merchant. @throws Error if they are not its figures. */
async function trace(
  figures: MerchantFigures,
  payments: AsyncIterable<{ readonly amount: bigint; readonly flag: string | null }>,
): Promise<void> {
  let sum = 0n
  let real = 0n
  for await (const { amount, flag } of payments) {
    sum += amount
    if (flag === null) real += amount
  }
  if (sum !== figures.amount || real !== figures.realAmount)
    throw new Error(`the payments of ${figures.address} do not add up to its figures`)
}

/** Rows that a server has read since it started; 18.16 and DuckDB do not count them. */
async function readRows(ledger: Ledger, signal: AbortSignal): Promise<number> {
  if (ledger.dialect.isIn === 'IN') return 0
  const rows = await ledger.rows("SELECT sum(value) FROM system.events WHERE event = 'SelectedRows'", signal)
  return Number(rows[0]?.[0] ?? 0)
}

async function readSize(url: string, signal: AbortSignal) {
  const table = `payment_${CHAIN.slice(2, 18)}`
  const folder = folderOf(url)
  if (folder !== null) {
    const database = await DuckdbDatabase.open(folder)
    const [[payments, parts] = []] = await database.rows(
      `SELECT (SELECT count() FROM ${table}), count(DISTINCT row_group_id) FROM pragma_storage_info('${table}')`,
      signal,
    )
    await database.close()
    // With the transfers, which are few.
    const { size } = statSync(join(folder, FILE))
    return {
      rows: Number(payments),
      bytesEach: Number((size / Number(payments)).toFixed(1)),
      parts: Number(parts),
    }
  }
  const servers = await openServers(url)
  try {
    const sums = { rows: 0, bytes: 0, parts: 0 }
    for (const engine of servers.shards.flat()) {
      const [[rows, bytes, parts] = []] = await engine.rows(
        `SELECT sum(rows), sum(bytes_on_disk), count() FROM system.parts
        WHERE active AND database = currentDatabase() AND table = '${table}'`,
        signal,
      )
      sums.rows += Number(rows)
      sums.bytes += Number(bytes)
      sums.parts += Number(parts)
    }
    return { rows: sums.rows, bytesEach: Number((sums.bytes / sums.rows).toFixed(1)), parts: sums.parts }
  } finally {
    await servers.close()
  }
}
