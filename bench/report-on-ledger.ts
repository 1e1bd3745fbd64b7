import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFigures } from '../src/report/build/build-figures.ts'
import type { MerchantFigures } from '../src/report/build/figures.ts'
import { openLedger } from '../src/report/ledger/ledger.ts'
import { NO_FLOW, placeOf } from '../src/report/screen/flow/judge-flow.ts'
import { NO_SCREEN_INPUTS } from '../src/report/screen/screen.ts'
import { SCREENS } from '../src/report/screen/screens.ts'
import { CIRCULAR_EVERY_BLOCKS } from './postgres-report.ts'
import { syntheticPayments } from './synthetic-payments.ts'

const END = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
export const WINDOW = {
  startBlock: 30_000_000,
  endBlock: 30_302_400,
  start: END - 604_800,
  end: END,
  isComplete: true,
}
/** The chunk size of the indexer during a backfill. */
const PAYMENTS_PER_CHUNK = 500_000

export type OwnReport = {
  readonly figures: readonly MerchantFigures[]
  readonly ingestSeconds: number
  readonly reportSeconds: number
  readonly peakBytes: number
}

/** Inserts a synthetic week into a new ledger, and computes the figures of every merchant. */
export async function reportOnLedger(payments: number): Promise<OwnReport> {
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
