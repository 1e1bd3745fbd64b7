import { type Block, findFirstBlockSince, readBlock } from '@tollbook/chain/blocks'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { inStep } from '@tollbook/flow/trace'
import { toUtcDate } from '@tollbook/verify/build/compose-report'
import { listWeekEnds, toWindow, WINDOW_DAYS, type WindowEnd } from '@tollbook/verify/build/window'
import { ROLLING, rollingEdition } from '@tollbook/verify/published/edition-name'
import { readUnknownSenders } from '../build/unknown-senders.ts'
import { composeEdition } from '../editions/compose-edition.ts'
import { type Published, storeRolling } from '../editions/store-rolling.ts'
import { FIRST_REVISION, storeWeek } from '../editions/store-week.ts'
import { keptEvidenceFiles, loadEdition } from '../editions/stored-reports.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import * as coverage from '../ledger/coverage/coverage.ts'
import { type ComputedFigures, computeFigures } from '../run/compute-figures.ts'
import type { Figures } from '../run/figures.ts'
import type { State } from '../state/state.ts'
import { replaceGauge } from './indexer-gauges.ts'
import { type PublishOptions, packPayments, toComposing } from './publish-options.ts'

const DAY_MS = 86_400_000
const NOTHING: Published = { merchants: 0, written: 0, frozen: 0 }

/** Ledger and listings to published reports: the rolling window, then every completed week that is not published yet. */
export async function publishWindows(publishing: PublishOptions, signal: AbortSignal): Promise<Published> {
  const { state, rpc, now } = publishing
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
  const newest = await inStep('prepare the newest window', () =>
    computeFigures(publishing, { edition: ROLLING, window: toWindow(span), coverage: covered }, signal),
  )
  const published = await inStep('store the newest window', () =>
    publishRolling(publishing, newest, newest.method),
  )
  await inStep('publish other windows', () => publishOtherWindows(publishing, { newest, span }, signal))
  for await (const week of findUnpublishedWeeks({ state, rpc, coverage: covered, finalHead }, signal)) {
    const figures = await inStep('prepare a week', () =>
      computeFigures(publishing, { ...week, coverage: covered }, signal),
    )
    // Some transfers are not read yet. A published week never changes, so this week waits, and later ones,
    // too.
    if (!figures.isFinal) break
    const isNew = await inStep('store a week', () => publishWeek(publishing, figures, signal))
    if (isNew) await reportWeek(publishing, figures, signal)
    await publishing.archive.removeStrays(await keptEvidenceFiles(state), now())
  }
  return published
}

async function publishRolling(
  publishing: PublishOptions,
  figures: Figures,
  method: ComputedFigures['method'],
): Promise<Published> {
  const edition = await composeEdition(figures, toComposing(publishing, method))
  return storeRolling(publishing.state, edition, figures.claimsAndListings)
}

/** Publishes all reports of a week for the first time. @returns whether it was not published yet. */
async function publishWeek(
  publishing: PublishOptions,
  figures: ComputedFigures,
  signal: AbortSignal,
): Promise<boolean> {
  const { state, baseUrl } = publishing
  if (await loadEdition(state, figures.edition)) return false
  // Its payments are stored in a file before the week is visible.
  const evidence = await packPayments(publishing, figures, signal)
  const composing = toComposing(publishing, figures.method)
  const edition = await composeEdition(figures, { ...composing, revision: FIRST_REVISION, evidence })
  return storeWeek(state, edition, baseUrl)
}

/** Logs a week that was published, and the senders in it that may be facilitators. */
async function reportWeek(
  { state, ledger, logger }: PublishOptions,
  { edition: week, window, payments: { coverage } }: ComputedFigures,
  signal: AbortSignal,
): Promise<void> {
  logger.info({ week }, 'published a week')
  const senders = await readUnknownSenders(ledger, { coverage, window }, signal)
  const counts = senders.map(({ address, payments }) => ({ label: address, value: payments }))
  await replaceGauge(state, 'unknown_sender_payments', counts)
  if (senders.length > 0)
    logger.warn(
      { week, senders },
      'wallets outside the list of facilitators settled many payments; see "tollbook facilitators refresh"',
    )
}

/** The part of a window's length after which it is published again. Chosen: nobody sees a hundredth, 14 minutes of a day. */
const REFRESHED_PART = 1 / 100
/** How soon an incomplete window is published again. Chosen: reading what is missing takes minutes. */
const INCOMPLETE_MS = 600_000
/** Maximum time to read transfers, and to follow money. Chosen: the week comes first, and has three times as much. */
const LONGER_BUDGET_MS = 20_000

/**
 * Publishes the windows of 1, 14 and 30 days, rarely; a window that holds no more than a shorter one is left
 * out. The day is screened as part of the seven: three statements, no request.
 */
async function publishOtherWindows(
  publishing: PublishOptions,
  { newest, span }: { readonly newest: ComputedFigures; readonly span: WindowEnd },
  signal: AbortSignal,
): Promise<void> {
  const { state, now } = publishing
  const { coverage, window: screened } = newest.payments
  for (const [at, days] of WINDOW_DAYS.entries()) {
    const edition = rollingEdition(days)
    const shorter = toWindow({ ...span, days: WINDOW_DAYS[at - 1] ?? 0 })
    if (edition === ROLLING || shorter.start <= span.indexedSince) continue
    const last = await loadEdition(state, edition)
    const ageMs = now().getTime() - (last?.published_at ?? 0)
    if (ageMs < (last?.is_complete === 1 ? days * DAY_MS * REFRESHED_PART : INCOMPLETE_MS)) continue
    const window = toWindow({ ...span, days })
    if (days < 7) {
      const day = await newest.part({ edition, window: { ...window, isComplete: screened.isComplete } })
      await publishRolling(publishing, day, newest.method)
    } else {
      const budgets = { outflowBudgetMs: LONGER_BUDGET_MS, flowBudgetMs: LONGER_BUDGET_MS }
      const figures = await computeFigures(
        { ...publishing, ...budgets },
        { edition, window, coverage },
        signal,
      )
      await publishRolling(publishing, figures, figures.method)
    }
  }
}

type WeekSearch = {
  readonly state: State
  readonly rpc: Rpc
  readonly coverage: Coverage
  readonly finalHead: Block
}

/** Completed weeks, read entirely and not published, oldest first; later calls return the rest. */
async function* findUnpublishedWeeks(
  { state, rpc, coverage, finalHead }: WeekSearch,
  signal: AbortSignal,
): AsyncGenerator<Pick<Figures, 'edition' | 'window'>> {
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
