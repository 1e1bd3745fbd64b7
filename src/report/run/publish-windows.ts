import { type Block, findFirstBlockSince, readBlock } from '../../chain/blocks.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { PermanentError } from '../../fetching/failure.ts'
import { inStep } from '../../flow/trace.ts'
import type { State } from '../../state/state.ts'
import { buildFigures } from '../build/build-figures.ts'
import { toUtcDate } from '../build/compose-report.ts'
import { readFieldFigures } from '../build/field-figures.ts'
import type { FigureWindow } from '../build/figures.ts'
import { readUnknownSenders } from '../build/unknown-senders.ts'
import { listWeekEnds, toWindow, WINDOW_DAYS, type WindowEnd } from '../build/window.ts'
import { ROLLING, rollingEdition } from '../editions/edition-name.ts'
import { type Published, publishRun } from '../editions/publish-run.ts'
import {
  type Correction,
  correctWeek,
  publishWeek,
  readPublishedOperators,
  readPublishedPayees,
  readSides,
} from '../editions/publish-week.ts'
import { keptEvidenceFiles, loadEdition } from '../editions/stored-reports.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import * as coverage from '../ledger/coverage/coverage.ts'
import { replaceGauge } from './indexer-gauges.ts'
import { type Prepared, type PublishOptions, preparePublication } from './prepare-publication.ts'

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
  const rolling = { edition: ROLLING, window: toWindow(span), covered }
  const newest = await inStep('prepare the newest window', () =>
    preparePublication(publishing, rolling, signal),
  )
  const published = await inStep('store the newest window', () => publishRun(newest))
  await inStep('publish other windows', () => publishOtherWindows(publishing, { newest, span }, signal))
  for await (const week of findUnpublishedWeeks({ state, rpc, coverage: covered, finalHead }, signal)) {
    const { isFinal, ...publication } = await inStep('prepare a week', () =>
      preparePublication(publishing, { ...week, covered }, signal),
    )
    // Some transfers are not read yet. A published week never changes, so this week waits, and later ones,
    // too.
    if (!isFinal) break
    const isNew = await inStep('store a week', () => publishWeek(publication))
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
 * Recomputes a published week, and publishes a revision when figures differ.
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
  const payees = await readPublishedPayees(state, before)
  const run = { edition: week, window, covered, sides, operators, payees }
  const { isFinal, ...publication } = await preparePublication(publishing, run, signal)
  if (!isFinal)
    throw new PermanentError(
      `transfers that the week ${week} needs are still being read; try again in a minute`,
    )
  const correction = await correctWeek(publication, { before, reason })
  if (correction.changed > 0) logger.info({ week, ...correction, reason }, 'corrected a week')
  return correction
}

/** Chosen: the part of a window's length after which it is published again; about 14 minutes for a day. */
const REFRESHED_PART = 1 / 100
/** Chosen: how soon a window is published again whose payments or transfers are not all read, ms. */
const INCOMPLETE_MS = 600_000
/** Chosen: maximum time to read transfers, and to follow money, for one of the longer windows. */
const LONGER_BUDGET_MS = 20_000

/**
 * Publishes the windows of 1, 14 and 30 days, rarely; a window that holds no more than a shorter one is left
 * out. The day is screened as part of the seven: three statements, no request.
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
      const ofDay = { ...selection, window: day }
      const figures = await buildFigures(ledger, ofDay, signal)
      const field = await readFieldFigures(ledger, ofDay, signal)
      const operators = await newest.operators.within(day, figures)
      await publishRun({ ...newest, operators, run: { ...run, edition, window: day, figures, field } })
    } else {
      const budgets = { outflowBudgetMs: LONGER_BUDGET_MS, flowBudgetMs: LONGER_BUDGET_MS }
      const run = { edition, window, covered: newest.selection.coverage }
      await publishRun(await preparePublication({ ...publishing, ...budgets }, run, signal))
    }
  }
}

type WeekSearch = {
  readonly state: State
  readonly rpc: Rpc
  readonly coverage: Coverage
  readonly finalHead: Block
}

type UnpublishedWeek = { readonly edition: string; readonly window: FigureWindow }

/** Completed weeks, read entirely and not published, oldest first; later calls return the rest. */
async function* findUnpublishedWeeks(
  { state, rpc, coverage, finalHead }: WeekSearch,
  signal: AbortSignal,
): AsyncGenerator<UnpublishedWeek> {
  const first = await readBlock(rpc, coverage.firstBlock, signal)
  if (!first) return
  const indexedSince = first.timestamp
  const ends = listWeekEnds({ indexedSince, until: finalHead.timestamp })
  const rows = await state.db
    .selectFrom('report_editions')
    .select('edition')
    .where('revision', '=', 1)
    .execute()
  const published = new Set(rows.map(({ edition }) => edition))
  for (const end of ends) {
    const edition = toUtcDate(end)
    if (published.has(edition)) continue
    const block = await findFirstBlockSince(rpc, { time: end, head: finalHead }, signal)
    if (!block || block.number > coverage.endBlock) return
    const window = toWindow({
      endBlock: block.number,
      end,
      finalHead: finalHead.number,
      coverage,
      indexedSince,
    })
    if (window.isComplete) yield { edition, window }
  }
}
