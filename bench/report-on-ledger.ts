import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFigures } from '@tollbook/report/build/build-figures'
import type { Method } from '@tollbook/report/build/visible-payments'
import { narrowMethod, readMerchants } from '@tollbook/report/build/wallets-of-window'
import { openLedger } from '@tollbook/report/ledger/ledger'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import { placeOf } from '@tollbook/verify/screen/flow/follow-shares'
import { NO_FLOW } from '@tollbook/verify/screen/flow/judge-flow'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { SCREENS } from '@tollbook/verify/screen/screens'
import { BEFORE } from '../test/cheat/judge-town.ts'
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
  /** With listings of a quarter of the merchants, and with the screens of version 2 of the method. */
  readonly compared: { readonly listedSeconds: number; readonly beforeSeconds: number }
  readonly peakBytes: number
}

/**
 * Inserts a synthetic week into a new ledger, and computes the figures of every merchant.
 * @param rounds how often methods are compared
 */
export async function reportOnLedger(payments: number, rounds = 0): Promise<OwnReport> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-bench-'))
  const { signal } = new AbortController()
  try {
    const ledger = await openLedger(`duckdb:${folder}`, `0x${'0'.repeat(64)}`)
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
    const build = async (method: Method) => {
      const startMs = performance.now()
      const merchants = await readMerchants(ledger, { coverage, window: WINDOW, method }, signal)
      const own = narrowMethod(method, merchants)
      const selection = { coverage, outflowAttempts: [], window: WINDOW, method: own }
      const figures = await buildFigures(ledger, selection, signal)
      return { figures, seconds: (performance.now() - startMs) / 1000 }
    }
    const { figures, seconds: reportSeconds } = await build(method)
    const listed = listQuarter(method, figures)
    const before = { ...method, inputs: NO_SCREEN_INPUTS, screens: BEFORE }
    const compared = { listedSeconds: Number.POSITIVE_INFINITY, beforeSeconds: Number.POSITIVE_INFINITY }
    for (let round = 0; round < rounds; round++) {
      compared.beforeSeconds = Math.min(compared.beforeSeconds, (await build(before)).seconds)
      compared.listedSeconds = Math.min(compared.listedSeconds, (await build(listed)).seconds)
    }
    await ledger.close()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    return { figures, ingestSeconds: ingestMs / 1000, reportSeconds, compared, peakBytes }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The method with three prices for every fourth merchant, half of them with an unusual floor. */
function listQuarter(method: Method, figures: readonly MerchantFigures[]): Method {
  const addresses = figures.map(({ address }) => address).sort()
  const listed = addresses.filter((_, at) => at % 4 === 0)
  const unique = [1_000n, 2_000n, 5_000n]
  const prices = listed.map(
    (address, at) => [address, { floor: at % 2 === 0 ? 1_000n : 500n, highest: 10_000n, unique }] as const,
  )
  return {
    ...method,
    inputs: { ...method.inputs, listedPrices: new Map(prices) },
    listedPayees: new Set(listed),
  }
}
