import type { HeadTag } from '@tollbook/chain/blocks'
import type { Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { inStep, inTrace, type Tracer } from '@tollbook/flow/trace'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import type { PortalReader } from '@tollbook/verify/chain/fetch-receipts'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import type { Logger } from 'pino'
import { loadLabelList } from './build/label-list.ts'
import { readEvidence } from './build/read-evidence.ts'
import { loadFacilitators } from './chain/facilitator-file.ts'
import type { Step } from './chain/follow.ts'
import { openNodes } from './chain/nodes.ts'
import type { Portal } from './chain/portals/portal.ts'
import { createPortalReader } from './chain/portals/portal-reader.ts'
import { deliverAlerts } from './claims/alerts/deliver-alerts.ts'
import type { OperatorWallets } from './claims/claims-and-listings.ts'
import { adoptChain } from './editions/adopt-chain.ts'
import type { Correction } from './editions/correct-week.ts'
import type { Published } from './editions/store-rolling.ts'
import type { Evidence } from './evidence/evidence.ts'
import type { EvidenceArchive } from './evidence/evidence-archive.ts'
import type { ChainOf, Housekeeping } from './ledger/chunk-journal.ts'
import { readCoverage, startCoverage } from './ledger/coverage/coverage.ts'
import { serveReader } from './ledger/duckdb/reader-server.ts'
import { type Ledger, openLedger } from './ledger/ledger.ts'
import { folderOf } from './ledger/ledger-url.ts'
import { holdsChdbLedger, type LostPayments, repairPayments } from './ledger/upkeep/repair-payments.ts'
import { repairTransfers } from './ledger/upkeep/transfer-housekeeping.ts'
import { countIndexed } from './pipeline/indexer-gauges.ts'
import { createIndexer, type IndexProgress } from './pipeline/indexing.ts'
import { maintainLedger } from './pipeline/maintain-ledger.ts'
import type { PublishOptions } from './pipeline/publish-options.ts'
import { publishRevision } from './pipeline/publish-revision.ts'
import { publishWindows } from './pipeline/publish-windows.ts'
import { readPublishedMethod } from './pipeline/published-method.ts'
import { collectAllListings, type ListingReading, visitPaidMerchants } from './pipeline/read-listings.ts'
import { runLoop } from './pipeline/run-loop.ts'
import { findOutflowAttempts } from './run/window-figures.ts'

export type PipelineOptions = ListingReading & {
  /** `duckdb:<folder>` or `http(s)://…`. */
  readonly ledgerUrl: string
  readonly archive: EvidenceArchive
  /** JSON-RPC nodes of the chain, in order of preference; the next takes over when one fails. */
  readonly rpcUrls: readonly string[]
  /** Whether two of them must agree about the logs of every block; default false. */
  readonly isCrossChecked?: boolean
  /** Queried for receipts before the nodes, in order of preference. */
  readonly portals?: readonly Portal[]
  /** The block tag up to which blocks are read: `safe` on Base, `latest` on a chain with one node. */
  readonly head: HeadTag
  /** Windows up to this block tag are complete: `finalized` on Base, `latest` on a chain with one node. */
  readonly finalHead: HeadTag
  /** The first block to index; used only when the chain is indexed for the first time. */
  readonly firstBlock: number
  /** Senders of settlements that are not in the list of facilitators. */
  readonly moreFacilitators: readonly string[]
  /** An operator's changes to that list, see chain/facilitators.ts. */
  readonly facilitatorsFile?: string
  /** Sends alerts to the webhooks of merchants; absent: none are sent. */
  readonly alertFetch?: SafeFetch
  /** A file of labelled exchange and bridge wallets; absent: reports have no note on exchanges. */
  readonly labelsFile?: string | undefined
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
  /** Wallets with which the operator pays its own services, by payee; default none. */
  readonly operatorWallets?: OperatorWallets
  /** Polling interval of the head, ms. Base produces a block every 2,000. */
  readonly pollMs: number
  readonly publishSeconds: number
  /** Payments older than this many weeks are dropped once their weeks are published; absent: none are. */
  readonly retentionWeeks?: number | undefined
  /** Records each publication as a trace; default none. */
  readonly tracer?: Tracer | undefined
}

export type Pipeline = {
  /** Hash of the chain's genesis block. */
  readonly chain: Hex
  readonly evidence: Evidence
  index(signal: AbortSignal): Promise<Step>
  /** Reads blocks until none is left below the head; fetches the next while the last are written. */
  indexToHead(signal: AbortSignal, onProgress?: (progress: IndexProgress) => void): Promise<void>
  /** Publishes the rolling window, and every completed week that is not published yet, oldest first. */
  publish(signal: AbortSignal): Promise<Published>
  /**
   * Recomputes a published week and, when figures differ, publishes them as a revision with this reason.
   * @throws PermanentError when the week is not published, or the ledger no longer has all of its payments.
   */
  publishRevision(
    correction: { readonly week: string; readonly reason: string },
    signal: AbortSignal,
  ): Promise<Correction>
  /** Indexes and publishes repeatedly until the signal; rejects only when neither can continue. */
  run(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Opens the pipeline: blocks into the ledger, listings, and the screened reports of each window. */
export async function openPipeline(options: PipelineOptions, signal: AbortSignal): Promise<Pipeline> {
  const { state, logger, now } = options
  const labels = options.labelsFile === undefined ? undefined : loadLabelList(options.labelsFile)
  const facilitators = loadFacilitators(options.facilitatorsFile, options.moreFacilitators)
  const nodes = await openNodes(
    {
      urls: options.rpcUrls,
      chainId: BASE.chainId,
      onTrouble: ({ node, error, restMs }) =>
        logger.warn({ err: error, restMs }, restMs === null ? `${node} is not used` : `${node} is set aside`),
    },
    signal,
  )
  const { rpc } = nodes
  const chain = nodes.genesis.hash
  const ledger = await openLedger(options.ledgerUrl, chain)
  const setAside = await adoptChain(state, chain)
  if (setAside !== null) logger.warn({ chain: setAside }, 'reports of another chain are set aside')
  const { firstBlock, ledgerUrl, portals = [] } = options
  await openCoverage({ state, chain, ledger, firstBlock, ledgerUrl, portals, logger, now: now() }, signal)
  const folder = folderOf(ledgerUrl)
  const reader = folder === null ? null : await serveReader(folder, ledger.rows)

  // From 0 on: an alert on its change does not see a first value.
  for (const { name } of portals)
    await countIndexed(state, { gauge: 'portal_chunks', values: [name, 'rejected'], add: 0 })
  const indexer = createIndexer({
    state,
    chain,
    ledger,
    nodes,
    now,
    head: options.head,
    facilitators: facilitators.addresses,
    isCrossChecked: options.isCrossChecked ?? false,
    portals: openPortalReader(options, portals),
  })
  const publishing: PublishOptions = {
    state,
    chain,
    ledger,
    rpc,
    nodes,
    facilitators,
    range: createRangeSize(),
    labels,
    listingSources: options.listingSources,
    operatorWallets: options.operatorWallets ?? new Map(),
    archive: options.archive,
    baseUrl: options.baseUrl,
    finalHead: options.finalHead,
    logger,
    now,
  }
  const publish = (signal: AbortSignal) =>
    inTrace(options.tracer, 'publish', async () => {
      await inStep('collect listings', () => collectAllListings(options, signal))
      return publishWindows(publishing, signal)
    })
  return {
    chain,
    evidence: createLedgerEvidence({ state, chain, ledger }),
    ...indexer,
    publish,
    publishRevision: (correction, signal) => publishRevision(publishing, correction, signal),
    async run(signal) {
      const loop = (name: string, everyMs: number, work: (signal: AbortSignal) => Promise<unknown>) =>
        runLoop({ name, everyMs, work, logger }, signal)
      const { alertFetch: fetch } = options
      await Promise.all([
        fetch &&
          loop('delivering alerts', DELIVERING_MS, (signal) =>
            deliverAlerts({ state, fetch, logger, now }, signal),
          ),
        loop('indexing', options.pollMs, async (signal) => {
          await indexer.indexToHead(signal)
          await maintainLedger(
            { state, chain, ledger, logger, now: now(), retentionWeeks: options.retentionWeeks },
            signal,
          )
        }),
        loop('publishing', options.publishSeconds * 1000, publish),
        loop('visiting merchants', VISITING_MS, (signal) => visitPaidMerchants(options, signal)),
      ])
    },
    async close() {
      await reader?.close()
      await ledger.close()
    },
  }
}

function openPortalReader({ state, logger }: PipelineOptions, portals: readonly Portal[]): PortalReader {
  return createPortalReader({
    portals,
    contracts: BASE_CONTRACTS,
    async onChunk({ portal, outcome, error }) {
      await countIndexed(state, { gauge: 'portal_chunks', values: [portal, outcome] })
      if (outcome !== 'read')
        logger.warn(
          { portal, outcome, err: error },
          'receipts are read from the chain RPC instead of a portal',
        )
    },
  })
}

export function createLedgerEvidence(target: ChainOf & { readonly ledger: Ledger }): Evidence {
  return {
    async *payments({ merchant, window }, signal) {
      const covered = await readCoverage(target)
      const outflowAttempts = await findOutflowAttempts(target, window, covered)
      const method = await readPublishedMethod(target, { merchant, window, coverage: covered }, signal)
      yield* readEvidence(
        target.ledger,
        { coverage: covered, outflowAttempts, method, merchant, window },
        signal,
      )
    },
  }
}

/** How often to check whether a merchant's host is due for a visit, ms. */
const VISITING_MS = 300_000
/** How often to look for alerts that are due, ms. */
const DELIVERING_MS = 2_000

type Opening = Housekeeping & {
  readonly logger: Logger
  readonly ledgerUrl: string
  readonly portals?: readonly Portal[] | undefined
  /** The first block to index; used only when the chain is indexed for the first time. */
  readonly firstBlock: number
}

/** Gives up the attempts of an ended process, and has lost blocks read again. */
async function openCoverage(opening: Opening, signal: AbortSignal): Promise<void> {
  const { firstBlock, logger, now } = opening
  await startCoverage(opening, firstBlock, now)
  const lost = await repairPayments(opening, signal)
  if (lost !== null) logger.warn(lost, describeLoss(lost, opening))
  const lostBlock = await repairTransfers(opening, signal)
  if (lostBlock !== null) logger.warn({ lostBlock }, 'the ledger has lost transfers; reading them again')
}

/** What reading a week of 4,000,000 payments took, docs/operate.md: from an RPC endpoint with 25 calls/s, from a portal. */
const WEEK_MINUTES = { endpoint: 211, portal: 9 } as const

function describeLoss({ firstBlock, endBlock }: LostPayments, { ledgerUrl, portals = [] }: Opening): string {
  const folder = folderOf(ledgerUrl)
  const blocks = endBlock - firstBlock
  const weekMinutes = WEEK_MINUTES[portals.length > 0 ? 'portal' : 'endpoint']
  const minutes = Math.max(1, Math.round((blocks / BASE.weekBlocks) * weekMinutes))
  const reading = `reading ${blocks} blocks again from the chain, from block ${firstBlock} on: about ${minutes} min on Base`
  return folder !== null && holdsChdbLedger(folder)
    ? `the ledger in ${folder} was written by chDB, which version 1.0.0 used; ${reading}. To import them instead, stop, and run ` +
        'tollbook import payments with the file that tollbook export payments of 1.0.0 wrote'
    : `the ledger has lost payments; ${reading}`
}
