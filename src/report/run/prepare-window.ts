import type { Hex } from '../../chain/hex.ts'
import { BASE } from '../../money/base.ts'
import type { State } from '../../state/state.ts'
import type { Inflows } from '../build/exchange-notes.ts'
import type { FigureWindow } from '../build/figures.ts'
import type { LabelList } from '../build/label-list.ts'
import type { Method } from '../build/visible-payments.ts'
import { readLargestBuyers, readMerchants } from '../build/wallets-of-window.ts'
import type { BlockRange } from '../chain/pieces.ts'
import type { Coverage } from '../ledger/coverage.ts'
import { readSpans, readTransferAttempts } from '../ledger/transfers/transfer-coverage.ts'
import { isKnown } from '../ledger/transfers/transfer-plan.ts'
import { type Sweep, sweepTransfers } from '../ledger/transfers/transfer-sweep.ts'

/**
 * Chosen: maximum time that one publication reads transfers. The next publications read what is still
 * missing.
 */
const OUTFLOW_BUDGET_MS = 60_000
const INFLOW_BUDGET_MS = 20_000
/**
 * Chosen: the inflow of this many buyers is read, those that paid most. A week of them takes some 2,000
 * requests with small responses, spread over several publications; a merchant whose result could depend on
 * other buyers gets no note.
 */
const MAX_BUYERS = 10_000

export type PrepareOptions = Omit<Sweep, 'direction'> & {
  /** Absent when none is configured. */
  readonly labels?: LabelList | undefined
  /** Maximum time to read transfers out of merchants, ms; default one minute. */
  readonly outflowBudgetMs?: number
}

export type WindowOf = {
  readonly window: FigureWindow
  readonly coverage: Coverage
  readonly method: Method
}

/** What the reports of a window need in addition to its payments. */
export type Prepared = {
  /** Complete only when every transfer out of its merchants was read, too. */
  readonly window: FigureWindow
  readonly outflowAttempts: readonly number[]
  /** Null when no label list is configured. */
  readonly inflows: (Inflows & { readonly isRead: boolean }) | null
}

/**
 * Reads the transfers that a window's reports need, within the time budget, and reports which of them were
 * read.
 * @throws RetryableError when the chain moved meanwhile, or the node could not be reached.
 */
export async function prepareWindow(
  preparing: PrepareOptions,
  { window, coverage, method }: WindowOf,
  signal: AbortSignal,
): Promise<Prepared> {
  const selection = { window, coverage, method }
  const range = toBlockRange(window, coverage)
  const out = { ...preparing, direction: 'out' } as const
  const merchants = await readMerchants(preparing.ledger, selection, signal)
  const goal = {
    ...range,
    wallets: merchants,
    budgetMs: preparing.outflowBudgetMs ?? OUTFLOW_BUDGET_MS,
  }
  await sweepTransfers(out, goal, signal)
  const spans = await readSpans(out)
  const isComplete = window.isComplete && merchants.every((wallet) => isKnown(spans.get(wallet), range))
  return {
    window: { ...window, isComplete },
    outflowAttempts: await readTransferAttempts(out, range),
    inflows: await prepareInflows(preparing, { ...selection, range }, signal),
  }
}

async function prepareInflows(
  preparing: PrepareOptions,
  { range, ...selection }: WindowOf & { readonly range: BlockRange },
  signal: AbortSignal,
): Promise<Prepared['inflows']> {
  const { ledger, labels } = preparing
  if (!labels) return null
  const into = { ...preparing, direction: 'in' } as const
  const buyers = await readLargestBuyers(ledger, { ...selection, max: MAX_BUYERS }, signal)
  await sweepTransfers(into, { ...range, wallets: buyers, budgetMs: INFLOW_BUDGET_MS }, signal)
  const spans = await readSpans(into)
  const known = buyers.filter((wallet) => isKnown(spans.get(wallet), range))
  const isRead = known.length === buyers.length
  const isEveryBuyer = isRead && buyers.length < MAX_BUYERS
  const attempts = await readTransferAttempts(into, range)
  return { labels, attempts, knownBuyers: isEveryBuyer ? null : known, isRead }
}

/** The attempts that hold the transfers out of merchants of a window, for read-only callers. */
export async function findOutflowAttempts(
  { state, chain }: { readonly state: State; readonly chain: Hex },
  window: Pick<FigureWindow, 'startBlock' | 'endBlock' | 'end'>,
  coverage: Coverage,
): Promise<readonly number[]> {
  return readTransferAttempts({ state, chain, direction: 'out' }, toBlockRange(window, coverage))
}

/**
 * Where block times do not follow from block numbers, the window's first block is unknown: use everything
 * that was indexed.
 */
function toBlockRange(
  { startBlock, endBlock, end }: Pick<FigureWindow, 'startBlock' | 'endBlock' | 'end'>,
  { firstBlock }: Coverage,
): BlockRange {
  const isBase = end === BASE.genesisSeconds + BASE.blockSeconds * endBlock
  return { firstBlock: isBase ? Math.max(firstBlock, startBlock) : firstBlock, endBlock }
}
