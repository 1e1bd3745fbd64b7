import { BASE } from '../money/base.ts'
import type { State } from '../state/state.ts'
import type { Inflows } from './build/exchange-notes.ts'
import type { FigureWindow } from './build/figures.ts'
import type { LabelList } from './build/label-list.ts'
import type { Method } from './build/visible-payments.ts'
import { readLargestBuyers, readMerchants } from './build/wallets-of-window.ts'
import type { Hex } from './chain/payment.ts'
import type { BlockRange } from './chain/pieces.ts'
import type { Coverage } from './ledger/coverage.ts'
import { readSpans, readTransferAttempts } from './ledger/transfers/transfer-coverage.ts'
import { isKnown } from './ledger/transfers/transfer-plan.ts'
import { type Sweep, sweepTransfers } from './ledger/transfers/transfer-sweep.ts'

/** Chosen: how long one publication reads transfers at most. What is missing then is read by the next ones. */
const OUTFLOW_PATIENCE_MS = 60_000
const INFLOW_PATIENCE_MS = 20_000
/**
 * Chosen: of so many buyers, those that paid most, the inflow is read. A week of them is some 2,000 requests of
 * small answers, read on over several publications; a merchant for which others could matter gets no note.
 */
const MAX_BUYERS = 10_000

export type Preparing = Omit<Sweep, 'direction'> & {
  /** Absent when none is configured. */
  readonly labels?: LabelList | undefined
  /** How long transfers out of merchants are read at most, ms; default a minute. */
  readonly outflowPatienceMs?: number
}

export type WindowOf = {
  readonly window: FigureWindow
  readonly coverage: Coverage
  readonly method: Method
}

/** What has to be known of a window beside its payments. */
export type Prepared = {
  /** Complete only when every transfer out of its merchants is known, too. */
  readonly window: FigureWindow
  readonly outflowAttempts: readonly number[]
  /** Null when no list of labels is configured. */
  readonly inflows: (Inflows & { readonly isRead: boolean }) | null
}

/**
 * Reads the transfers that a window's reports need, as far as patience reaches, and tells which of them are known.
 * @throws RetryableError when the chain moved meanwhile, or the node could not be reached.
 */
export async function prepareWindow(
  preparing: Preparing,
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
    patienceMs: preparing.outflowPatienceMs ?? OUTFLOW_PATIENCE_MS,
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
  preparing: Preparing,
  { range, ...selection }: WindowOf & { readonly range: BlockRange },
  signal: AbortSignal,
): Promise<Prepared['inflows']> {
  const { ledger, labels } = preparing
  if (!labels) return null
  const into = { ...preparing, direction: 'in' } as const
  const buyers = await readLargestBuyers(ledger, { ...selection, max: MAX_BUYERS }, signal)
  await sweepTransfers(into, { ...range, wallets: buyers, patienceMs: INFLOW_PATIENCE_MS }, signal)
  const spans = await readSpans(into)
  const known = buyers.filter((wallet) => isKnown(spans.get(wallet), range))
  const isRead = known.length === buyers.length
  const isEveryBuyer = isRead && buyers.length < MAX_BUYERS
  const attempts = await readTransferAttempts(into, range)
  return { labels, attempts, knownBuyers: isEveryBuyer ? null : known, isRead }
}

/** The attempts that hold the transfers out of merchants of a window, for who only reads. */
export async function findOutflowAttempts(
  { state, chain }: { readonly state: State; readonly chain: Hex },
  window: Pick<FigureWindow, 'startBlock' | 'endBlock' | 'end'>,
  coverage: Coverage,
): Promise<readonly number[]> {
  return readTransferAttempts({ state, chain, direction: 'out' }, toBlockRange(window, coverage))
}

/** Where block times do not follow from numbers, the window's first block is not known: all that was indexed. */
function toBlockRange(
  { startBlock, endBlock, end }: Pick<FigureWindow, 'startBlock' | 'endBlock' | 'end'>,
  { firstBlock }: Coverage,
): BlockRange {
  const isBase = end === BASE.genesisSeconds + BASE.blockSeconds * endBlock
  return { firstBlock: isBase ? Math.max(firstBlock, startBlock) : firstBlock, endBlock }
}
