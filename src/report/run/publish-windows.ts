import { type HeadTag, readBlock } from '../../chain/blocks.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { PermanentError } from '../../fetching/failure.ts'
import type { State } from '../../state/state.ts'
import { buildFigures } from '../build/build-figures.ts'
import type { FigureWindow } from '../build/figures.ts'
import type { LabelList } from '../build/label-list.ts'
import { readRunEvidence } from '../build/read-run-evidence.ts'
import { readUnknownSenders } from '../build/unknown-senders.ts'
import type { Method } from '../build/visible-payments.ts'
import { toWindow, WINDOW_DAYS, type WindowEnd } from '../build/window.ts'
import { BASE_CONTRACTS } from '../chain/contracts.ts'
import type { Facilitators } from '../chain/facilitators.ts'
import type { Nodes } from '../chain/nodes.ts'
import type { RangeSize } from '../chain/range-size.ts'
import { findOperators, type Operator } from '../claims/operators.ts'
import { readDisclosedWallets } from '../claims/stored-claims.ts'
import * as coverage from '../ledger/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toPricesByPayee } from '../listings/listed-prices.ts'
import { listedPayees, listingsByPayTo } from '../listings/stored-listings.ts'
import { describeBasis } from '../publish/editions/basis.ts'
import { type Published, publishRun, ROLLING, rollingEdition } from '../publish/editions/publish-run.ts'
import {
  type Correction,
  correctWeek,
  publishWeek,
  readPublishedOperators,
  readSides,
  type WeekPublication,
} from '../publish/editions/publish-week.ts'
import type { OperatorRun } from '../publish/editions/store-run.ts'
import { keptEvidenceFiles, loadEdition } from '../publish/editions/stored-reports.ts'
import type { EvidenceArchive } from '../publish/evidence/evidence-archive.ts'
import { packEvidence } from '../publish/evidence/pack-evidence.ts'
import type { MerchantSide } from '../publish/merchant/merchant-inputs.ts'
import { METHOD_VERSION, SCREENS } from '../screen/screens.ts'
import { replaceGauge } from './indexer-gauges.ts'
import { readMerchantSides } from './merchant-sides.ts'
import { type OperatorFigures, readOperatorFigures } from './operator-figures.ts'
import type { ListingReading } from './read-listings.ts'
import { findUnpublishedWeeks } from './unpublished-weeks.ts'
import { type PrepareOptions, readWindowFigures } from './window-figures.ts'

export type PublishOptions = ListingReading & {
  readonly ledger: Ledger
  /** Hash of the chain's genesis block. */
  readonly chain: Hex
  readonly rpc: Rpc
  readonly nodes: Pick<Nodes, 'use'>
  readonly range: RangeSize
  /** Absent when none is configured. */
  readonly labels: LabelList | undefined
  /** The block up to which windows count as complete. */
  readonly finalHead: HeadTag
  readonly facilitators: Facilitators
  readonly archive: EvidenceArchive
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
}

type Run = {
  readonly edition: string
  readonly window: FigureWindow
  readonly covered: coverage.Coverage
  /** What merchants had decided when the week was published first. */
  readonly sides?: ReadonlyMap<Address, MerchantSide>
  /** The operators of the week when it was published first. */
  readonly operators?: readonly Operator[]
}

type Prepared = WeekPublication & {
  readonly isFinal: boolean
  readonly selection: Parameters<typeof buildFigures>[1]
  readonly operators: Pick<OperatorFigures, keyof OperatorRun | 'within'>
}

const DAY_MS = 86_400_000
const NOTHING: Published = { merchants: 0, written: 0, frozen: 0 }

/** Ledger and listings to published reports: the rolling window, then every completed week that is not published yet. */
export async function publishWindows(publishing: PublishOptions, signal: AbortSignal): Promise<Published> {
  const { state, rpc, logger, now } = publishing
  const covered = await coverage.readCoverage(publishing)
  const finalHead = await readBlock(rpc, publishing.finalHead, signal)
  // Nothing was read, or nothing is final yet: there is no window.
  if (!finalHead || covered.endBlock === covered.firstBlock) return NOTHING

  const isBehind = covered.endBlock < finalHead.number
  const last = isBehind ? await readBlock(rpc, covered.endBlock, signal) : finalHead
  const first = await readBlock(rpc, covered.firstBlock, signal)
  if (!last || !first) return NOTHING
  const end = { endBlock: last.number, end: last.timestamp, finalHead: finalHead.number }
  const span = { ...end, coverage: covered, indexedSince: first.timestamp }
  const newest = await prepare(publishing, { edition: ROLLING, window: toWindow(span), covered }, signal)
  const published = await publishRun(newest)
  await publishOtherWindows(publishing, { newest, span }, signal)
  for await (const week of findUnpublishedWeeks({ state, rpc, coverage: covered, finalHead }, signal)) {
    const { isFinal, ...publication } = await prepare(publishing, { ...week, covered }, signal)
    // Some transfers are not read yet. A published week never changes, so this week waits, and later ones,
    // too.
    if (!isFinal) break
    const isNew = await publishWeek(publication)
    if (isNew) {
      logger.info({ week: week.edition }, 'published a week')
      const senders = await readUnknownSenders(
        publishing.ledger,
        { coverage: covered, window: week.window },
        signal,
      )
      const counts = senders.map(({ address, payments }) => ({ label: address, value: payments }))
      await replaceGauge(state, 'unknown_sender_payments', counts)
      if (senders.length > 0)
        logger.warn(
          { week: week.edition, senders },
          'wallets outside the list of facilitators settled many payments; see "tollbook facilitators refresh"',
        )
    }
    await publishing.archive.removeStrays(await keptEvidenceFiles(state), now())
  }
  return published
}

/**
 * Recomputes a published week with the current method and ledger, and publishes a revision when figures
 * differ.
 * @throws PermanentError when the week is not published, or the ledger no longer has all of its payments.
 */
export async function publishRevision(
  publishing: PublishOptions,
  { week, reason }: { readonly week: string; readonly reason: string },
  signal: AbortSignal,
): Promise<Correction> {
  const { state, rpc, logger } = publishing
  const before = week === ROLLING ? undefined : await loadEdition(state, week)
  if (!before) throw new PermanentError(`the week ${week} is not published, so there is nothing to correct`)
  const covered = await coverage.readCoverage(publishing)
  const first = await readBlock(rpc, covered.firstBlock, signal)
  const window = toWindow({
    endBlock: before.end_block,
    end: before.window_end / 1000,
    // It was final when the week was published.
    finalHead: before.end_block,
    coverage: covered,
    indexedSince: first?.timestamp ?? Number.POSITIVE_INFINITY,
  })
  if (!window.isComplete)
    throw new PermanentError(
      `the ledger no longer has every payment of the week ${week}; read its blocks again first, ` +
        `from block ${before.start_block} to ${before.end_block}`,
    )
  const sides = await readSides(state, before)
  const operators = await readPublishedOperators(state, before)
  const run = { edition: week, window, covered, sides, operators }
  const { isFinal, ...publication } = await prepare(publishing, run, signal)
  if (!isFinal)
    throw new PermanentError(
      `transfers that the week ${week} needs are still being read; try again in a minute`,
    )
  const correction = await correctWeek(publication, { before, reason })
  if (correction.changed > 0) logger.info({ week, ...correction, reason }, 'corrected a week')
  return correction
}

/** The current rules and inputs that decide which payments count. */
export async function readMethod(state: State): Promise<Method> {
  const inputs = {
    disclosedWallets: await readDisclosedWallets(state),
    listedPrices: toPricesByPayee(await listingsByPayTo(state)),
    // Found in each window.
    flows: new Map(),
  }
  return { screens: SCREENS, inputs, listedPayees: await listedPayees(state) }
}

/** Chosen: the part of a window's length after which it is published again; about 14 minutes for a day. */
const REFRESHED_PART = 1 / 100
/** Chosen: how soon a window is published again whose payments or transfers are not all read, ms. */
const INCOMPLETE_MS = 600_000
/** Chosen: maximum time to read transfers, and to follow money, for one of the longer windows. */
const LONGER_BUDGET_MS = 20_000

/**
 * Publishes the windows of 1, 14 and 30 days, rarely. The day is screened as part of the seven days, so it
 * takes two statements and no request; longer windows only the transfers that earlier windows did not read. A
 * window that holds no more than the next shorter one is left out.
 */
async function publishOtherWindows(
  publishing: PublishOptions,
  { newest, span }: { readonly newest: Prepared; readonly span: WindowEnd },
  signal: AbortSignal,
): Promise<void> {
  const { state, now, ledger } = publishing
  for (const [at, days] of WINDOW_DAYS.entries()) {
    const edition = rollingEdition(days)
    const shorter = toWindow({ ...span, days: WINDOW_DAYS[at - 1] ?? 0 })
    if (edition === ROLLING || shorter.start <= span.indexedSince) continue
    const last = await loadEdition(state, edition)
    const ageMs = now().getTime() - (last?.published_at ?? 0)
    if (ageMs < (last?.is_complete === 1 ? days * DAY_MS * REFRESHED_PART : INCOMPLETE_MS)) continue
    const window = toWindow({ ...span, days })
    if (days < 7) {
      const { selection, run } = newest
      const day = { ...window, isComplete: run.window.isComplete }
      const figures = await buildFigures(ledger, { ...selection, window: day }, signal)
      const operators = await newest.operators.within(day, figures)
      await publishRun({ ...newest, operators, run: { ...run, edition, window: day, figures } })
    } else {
      const budgets = { outflowBudgetMs: LONGER_BUDGET_MS, flowBudgetMs: LONGER_BUDGET_MS }
      const run = { edition, window, covered: newest.selection.coverage }
      await publishRun(await prepare({ ...publishing, ...budgets }, run, signal))
    }
  }
}

/** Ledger to figures, with everything else that a publication needs, and whether the result is final. */
async function prepare(
  publishing: PublishOptions & Pick<PrepareOptions, 'outflowBudgetMs' | 'flowBudgetMs'>,
  { edition, window: planned, covered, sides: published, operators: then }: Run,
  signal: AbortSignal,
): Promise<Prepared> {
  const { ledger, state, baseUrl, now, archive, chain, labels } = publishing
  const current = await readMethod(state)
  // The listings of a published week stay as they were, and so do the figures that depend on them.
  const stored = toPricesByPayee(
    [...(published ?? [])].map(([merchant, side]) => [merchant, side.listings] as const),
  )
  const prices = new Map([...current.inputs.listedPrices, ...stored])
  for (const merchant of published?.keys() ?? []) if (!stored.has(merchant)) prices.delete(merchant)
  const planning = { ...current, inputs: { ...current.inputs, listedPrices: prices } }
  const preparing = { ...publishing, usdc: BASE_CONTRACTS.usdc }
  const known = await readWindowFigures(
    preparing,
    { coverage: covered, window: planned, method: planning },
    signal,
  )
  const { window, figures, method, followed, outflowAttempts } = known
  const sides = await readMerchantSides(state, {
    disclosedWallets: method.inputs.disclosedWallets,
    ownSources: publishing.listingSources,
  })
  const { isFinal, ...operators } = await readOperatorFigures(
    preparing,
    {
      operators: then ?? findOperators(sides, method.inputs.disclosedWallets),
      sides: new Map([...sides, ...(published ?? [])]),
      figures,
      window,
      coverage: covered,
      method: planning,
    },
    signal,
  )
  const selection = { coverage: covered, outflowAttempts, window, method }
  const { version: list, addresses } = publishing.facilitators
  const labelList = labels ? { version: labels.version, sha256: labels.sha256 } : null
  return {
    state,
    isFinal: known.isFinal && isFinal,
    selection,
    run: { edition, window, methodVersion: METHOD_VERSION, figures },
    basis: describeBasis({ genesis: chain, method, facilitators: { list, addresses }, labels: labelList }),
    sides,
    followed,
    operators,
    baseUrl,
    now: now(),
    packEvidence: () =>
      packEvidence({
        archive,
        label: edition,
        payments: readRunEvidence(ledger, selection, signal),
        figures,
      }),
  }
}
