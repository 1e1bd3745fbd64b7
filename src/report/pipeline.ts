import type { Logger } from 'pino'
import type { SafeFetch } from '../fetching/safe-fetch.ts'
import type { State } from '../state/state.ts'
import { buildFigures } from './build/build-figures.ts'
import { toUtcDate } from './build/compose-report.ts'
import type { FigureWindow, ReportRun } from './build/figures.ts'
import { readEvidence } from './build/read-evidence.ts'
import type { Method } from './build/visible-payments.ts'
import { lastWeekEnd, toWindow } from './build/window.ts'
import { type Block, findFirstBlockSince, type HeadTag, readBlock, readGenesisHash } from './chain/blocks.ts'
import { BASE_CONTRACTS } from './chain/contracts.ts'
import { knownFacilitators } from './chain/facilitators.ts'
import { type Chain, readStep, type Step } from './chain/follow.ts'
import type { Hex } from './chain/payment.ts'
import { createRpc } from './chain/rpc.ts'
import * as coverage from './ledger/coverage.ts'
import { findDamage, giveUpAttempts, mergeChunks, removeRetired } from './ledger/housekeeping.ts'
import { type Ledger, openLedger } from './ledger/ledger.ts'
import { collectListings } from './listings/collect.ts'
import { listedPayees } from './listings/stored-listings.ts'
import type { Evidence } from './publish/evidence.ts'
import { type Published, publishRun, ROLLING } from './publish/publish-run.ts'
import { repeat } from './repeat.ts'
import { NO_SCREEN_INPUTS } from './screen/screen.ts'
import { METHOD_VERSION, SCREENS } from './screen/screens.ts'

export type PipelineOptions = {
  readonly state: State
  /** `chdb:<folder>` or `http(s)://…`. */
  readonly ledgerUrl: string
  readonly rpcUrl: string
  /** Up to where blocks are read: `safe` on Base, `latest` on a chain of one node. */
  readonly head: HeadTag
  /** Up to where windows count as complete: `finalized` on Base, `latest` on a chain of one node. */
  readonly finalHead: HeadTag
  /** The first block of interest; obeyed when the chain is indexed for the first time. */
  readonly firstBlock: number
  /** Senders of settlements that the list of facilitators does not know. */
  readonly moreFacilitators: readonly string[]
  /** Base URLs of services whose listings are read. */
  readonly listingSources: readonly string[]
  readonly fetch: SafeFetch
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
  /** How often the head is looked at, ms. Base makes a block every 2,000. */
  readonly pollMs: number
  readonly publishSeconds: number
  readonly logger: Logger
  readonly now: () => Date
}

export type Pipeline = {
  /** Hash of the chain's genesis block. */
  readonly chain: Hex
  /** Reads the payments behind a report. */
  readonly evidence: Evidence
  /** Reads what comes next on the chain into the ledger. */
  index(signal: AbortSignal): Promise<Step>
  /** Reads blocks until none is left below the head. */
  indexToHead(signal: AbortSignal): Promise<void>
  /** Publishes the rolling window, and the newest week when it is over and not published yet. */
  publish(signal: AbortSignal): Promise<Published>
  /** Indexes and publishes again and again until the signal; rejects only when neither can go on. */
  run(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Opens the way from the chain to published reports: chain, ledger, screen, listings, build, publish. */
export async function openPipeline(options: PipelineOptions, signal: AbortSignal): Promise<Pipeline> {
  const { state, logger, now } = options
  const rpc = createRpc({ url: options.rpcUrl })
  const source: Chain = {
    rpc,
    contracts: BASE_CONTRACTS,
    facilitators: knownFacilitators(options.moreFacilitators),
    head: options.head,
  }
  const chain = await readGenesisHash(rpc, signal)
  const ledger = await openLedger(options.ledgerUrl, chain)
  const target = { state, chain, ledger }
  await coverage.startCoverage(target, options.firstBlock, now())
  await giveUpAttempts({ ...target, now: now() })
  const damagedBlock = await findDamage({ ...target, now: now() }, signal)
  if (damagedBlock !== null) {
    const nextBlock = await coverage.rollBack(target, damagedBlock, now())
    logger.warn({ nextBlock }, 'the ledger has lost payments; the chain is read again from here')
  }

  const index = (signal: AbortSignal) => indexStep(source, { ...target, now }, signal)
  const publish = (signal: AbortSignal) => publishWindows({ ...options, ledger, chain, rpc }, signal)
  return {
    chain,
    evidence: {
      async *payments({ merchant, window }, signal) {
        const selection = { coverage: await coverage.readCoverage(target), method: await readMethod(state) }
        yield* readEvidence(ledger, { ...selection, merchant, window }, signal)
      },
    },
    index,
    async indexToHead(signal) {
      while ((await index(signal)).kind !== 'at-head') signal.throwIfAborted()
    },
    publish,
    async run(signal) {
      const keepHouse = async (signal: AbortSignal) => {
        const keeping = { ...target, now: now() }
        while ((await mergeChunks(keeping, signal)) > 0) signal.throwIfAborted()
        await removeRetired(keeping, signal)
      }
      const indexing = async (signal: AbortSignal) => {
        const step = await index(signal)
        if (step.kind !== 'at-head') return 0
        await keepHouse(signal)
        return options.pollMs
      }
      const publishing = async (signal: AbortSignal) => {
        await publish(signal)
        return options.publishSeconds * 1000
      }
      await Promise.all([
        repeat({ work: indexing, name: 'indexing', logger }, signal),
        repeat({ work: publishing, name: 'publishing', logger }, signal),
      ])
    },
    close: () => ledger.close(),
  }
}

type Target = {
  readonly state: State
  readonly chain: Hex
  readonly ledger: Ledger
  readonly now: () => Date
}

/** Chain to ledger: rows are on disk before coverage names them, so a crash at any point loses and doubles nothing. */
async function indexStep(source: Chain, target: Target, signal: AbortSignal): Promise<Step> {
  const { ledger, now } = target
  const step = await readStep(source, await coverage.readPosition(target), signal)
  if (step.kind === 'reorganised') await coverage.rollBack(target, step.nextBlock, now())
  if (step.kind !== 'blocks') return step
  const attempt = await coverage.beginAttempt(target, step, now())
  await ledger.insert(attempt, step.payments, signal)
  await coverage.cover(target, { ...step, attempt, payments: step.payments.length }, now())
  return step
}

type Publishing = PipelineOptions & {
  readonly ledger: Ledger
  readonly chain: Hex
  readonly rpc: Chain['rpc']
}

/** Listings to published reports, for the rolling window and for the newest week that is over. */
async function publishWindows(publishing: Publishing, signal: AbortSignal): Promise<Published> {
  const { state, rpc, listingSources: sources, fetch, logger, now } = publishing
  await collectListings({ state, sources, fetch, logger, now, signal })
  const covered = await coverage.readCoverage(publishing)
  const finalHead = await readBlock(rpc, publishing.finalHead, signal)
  // Nothing was read, or nothing is final yet: there is no window to speak of.
  if (!finalHead || covered.endBlock === covered.firstBlock) return { merchants: 0, written: 0, frozen: 0 }

  const end = lastWeekEnd(finalHead.timestamp)
  const week = await findUnpublishedWeek(publishing, { end, head: finalHead }, signal)
  if (week) {
    const endOfWeek = { endBlock: week.number, end, finalHead: finalHead.number, coverage: covered }
    const window = toWindow(endOfWeek)
    // Blocks of a whole week are still being read, or, when indexing began within the week, never will be.
    if (window.isComplete)
      await publishWindow(publishing, { edition: toUtcDate(end), window, covered }, signal)
  }
  const isBehind = covered.endBlock < finalHead.number
  const last = isBehind ? await readBlock(rpc, covered.endBlock, signal) : finalHead
  if (!last) return { merchants: 0, written: 0, frozen: 0 }
  const window = toWindow({
    endBlock: last.number,
    end: last.timestamp,
    finalHead: finalHead.number,
    coverage: covered,
  })
  return publishWindow(publishing, { edition: ROLLING, window, covered }, signal)
}

/** Build to publish. */
async function publishWindow(
  { ledger, state, baseUrl, now }: Publishing,
  {
    edition,
    window,
    covered,
  }: { readonly edition: string; readonly window: FigureWindow; readonly covered: coverage.Coverage },
  signal: AbortSignal,
): Promise<Published> {
  const method = await readMethod(state)
  const figures = await buildFigures(ledger, { coverage: covered, window, method }, signal)
  const run: ReportRun = { edition, window, methodVersion: METHOD_VERSION, figures }
  return publishRun({ state, run, baseUrl, now: now() })
}

/** The first block after the newest week that is over; null when that week is published or older than the chain. */
async function findUnpublishedWeek(
  { state, rpc }: Publishing,
  { end, head }: { readonly end: number; readonly head: Block },
  signal: AbortSignal,
): Promise<Block | null> {
  const published = await state.db
    .selectFrom('report_editions')
    .select('edition')
    .where('edition', '=', toUtcDate(end))
    .executeTakeFirst()
  if (published) return null
  const block = await findFirstBlockSince(rpc, { time: end, head }, signal)
  return block && block.number > 0 ? block : null
}

async function readMethod(state: State): Promise<Method> {
  return { screens: SCREENS, inputs: NO_SCREEN_INPUTS, listedPayees: await listedPayees(state) }
}
