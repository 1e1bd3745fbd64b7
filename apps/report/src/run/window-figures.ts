import type { Address, Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { Window } from '@tollbook/verify/build/window'
import { toScreenedBlock } from '@tollbook/verify/build/window'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { Followed } from '@tollbook/verify/screen/flow/judge-flow'
import { buildFigures } from '../build/build-figures.ts'
import { addExchangeNotes, type Inflows } from '../build/exchange-notes.ts'
import type { LabelList } from '../build/label-list.ts'
import type { Method } from '../build/visible-payments.ts'
import { limitFloors, narrowMethod, readLargestBuyers, readMerchants } from '../build/wallets-of-window.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import { readSpans, readTransferAttempts } from '../ledger/coverage/transfer-coverage.ts'
import { isKnown } from '../ledger/coverage/transfer-plan.ts'
import { type Sweep, sweepTransfers } from '../ledger/coverage/transfer-sweep.ts'
import type { State } from '../state/state.ts'
import { prepareFlows } from './prepare-flows.ts'

/** Maximum time to read transfers per publication. Chosen: it must not be late by more; the next ones continue. */
const OUTFLOW_BUDGET_MS = 60_000
const INFLOW_BUDGET_MS = 20_000
/**
 * Chosen: inflows of this many buyers, who paid most, are read: some 2,000 small requests a week, over
 * several publications. A merchant whose result could depend on others gets no note.
 */
const MAX_BUYERS = 10_000

export type ReadingOptions = Omit<Sweep, 'direction'> & {
  /** Absent when none is configured. */
  readonly labels?: LabelList | undefined
  /** Maximum time to read transfers out of merchants, ms; default one minute. */
  readonly outflowBudgetMs?: number
  /** Maximum time to follow money, ms; default one minute. */
  readonly flowBudgetMs?: number
}

export type WindowGoal = {
  readonly window: Window
  readonly coverage: Coverage
  readonly method: Method
}

type WindowFigures = {
  /** Not complete while transfers out of its merchants are missing. */
  readonly window: Window
  readonly merchants: readonly MerchantFigures[]
  /** With what only this window's merchants need, and without listings that decide nothing. */
  readonly method: Method
  readonly followed: ReadonlyMap<Address, Followed>
  readonly outflowAttempts: readonly number[]
  /** Whether the result can no longer change. */
  readonly isFinal: boolean
}

/**
 * The figures of every merchant of a window, after reading transfers within the time budget.
 * @throws RetryableError when the chain moved meanwhile, or the node could not be reached.
 */
export async function readWindowFigures(
  reading: ReadingOptions,
  { window: planned, coverage, method: current }: WindowGoal,
  signal: AbortSignal,
): Promise<WindowFigures> {
  const { ledger } = reading
  const range = toBlockRange(planned, coverage)
  const out = { ...reading, direction: 'out' } as const
  const paid = await readMerchants(ledger, { window: planned, coverage, method: current }, signal)
  const merchants = paid.map(({ address }) => address)
  const wallets = withDisclosed(merchants, current)
  const budgetMs = reading.outflowBudgetMs ?? OUTFLOW_BUDGET_MS
  await sweepTransfers(out, { ...range, wallets, budgetMs }, signal)
  const spans = await readSpans(out)
  const areOutflowsRead = wallets.every((wallet) => isKnown(spans.get(wallet), range))
  const own = narrowMethod(limitFloors(current, paid), paid)
  const flowed = await prepareFlows(
    reading,
    {
      window: planned,
      blocks: range,
      coverage,
      method: own,
      labelled: reading.labels?.wallets ?? new Set(),
      budgetMs: reading.flowBudgetMs,
    },
    signal,
  )
  const { flows, followed } = flowed
  const method = { ...own, inputs: { ...own.inputs, flows } }
  const isComplete = planned.isComplete && areOutflowsRead && flowed.isRead
  const outflowAttempts = await readTransferAttempts(out, range)
  const window = { ...planned, isComplete }
  const inflows = await readInflows(reading, { window: planned, coverage, method, range }, signal)
  const selection = { window, coverage, method, outflowAttempts }
  const figures = await buildFigures(ledger, selection, signal)
  const common = { window, method, followed, outflowAttempts }
  if (!inflows) return { ...common, merchants: figures, isFinal: isComplete }
  const noted = await addExchangeNotes(ledger, { ...selection, figures, inflows }, signal)
  return { ...common, merchants: noted, isFinal: isComplete && inflows.isRead }
}

/** What a disclosed wallet sends is sent by the merchant. */
function withDisclosed(merchants: readonly Address[], { inputs }: Method): readonly Address[] {
  const disclosed = merchants.flatMap((merchant) => [...(inputs.disclosedWallets.get(merchant) ?? [])])
  return [...new Set([...merchants, ...disclosed])]
}

/** Null when no label list is configured. */
async function readInflows(
  reading: ReadingOptions,
  { range, ...selection }: WindowGoal & { readonly range: BlockRange },
  signal: AbortSignal,
): Promise<(Inflows & { readonly isRead: boolean }) | null> {
  const { ledger, labels } = reading
  if (!labels) return null
  const into = { ...reading, direction: 'in' } as const
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
  window: Pick<Window, 'startBlock' | 'endBlock' | 'end'>,
  coverage: Coverage,
): Promise<readonly number[]> {
  return readTransferAttempts({ state, chain, direction: 'out' }, toBlockRange(window, coverage))
}

/** Everything indexed, where the window's first block is unknown: times do not follow from numbers. */
export function toBlockRange(
  window: Pick<Window, 'startBlock' | 'endBlock' | 'end'>,
  { firstBlock }: Coverage,
): BlockRange {
  const { endBlock, end } = window
  const isBase = end === BASE.genesisSeconds + BASE.blockSeconds * endBlock
  return { firstBlock: isBase ? Math.max(firstBlock, toScreenedBlock(window)) : firstBlock, endBlock }
}
