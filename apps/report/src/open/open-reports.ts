import { join } from 'node:path'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import type { Tracer } from '@tollbook/flow/trace'
import type { ReadChainSetting } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { outsideOptions } from '@tollbook/runtime/places/outside'
import { throwAbsence } from '@tollbook/runtime/process/package-missing'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { Logger } from 'pino'
import { openNodes } from '../chain/nodes.ts'
import { createHyperSync } from '../chain/portals/hypersync.ts'
import type { Portal } from '../chain/portals/portal.ts'
import { createSqd } from '../chain/portals/sqd.ts'
import type { EvidenceArchive } from '../evidence/evidence-archive.ts'
import { openEvidenceArchive } from '../evidence/open-evidence-archive.ts'
import { runLoop } from '../pipeline/run-loop.ts'
import { openPipeline, type Pipeline } from '../pipeline.ts'
import type { State } from '../state/state.ts'
import { operatorWalletsOf } from './operator-wallets.ts'

export type ReportsOptions = {
  readonly config: Config
  readonly chain: ReadChainSetting
  readonly state: State
  readonly logger: Logger
  readonly tracer?: Tracer | undefined
  /** Base URLs of the operator's own services, whose listings are read. */
  readonly sources: readonly string[]
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
}

/** The pipeline as configured, and the target of its first indexing. */
export type OpenedReports = {
  readonly pipeline: Pipeline
  /** Reads up to the head of the chain; waits out transient errors, such as a full disk. */
  catchUp(
    onProgress: (done: number, total: number, payments: number) => void,
    signal: AbortSignal,
  ): Promise<void>
}

/** On Base the first indexing begins an hour before the rolling window, in blocks. */
const BLOCKS_BEFORE_WINDOW = 1_800
const PUBLISH_SECONDS = { dev: 5, base: 600 }
const POLL_MS = { dev: 500, base: 2_000 }

export async function openReports(options: ReportsOptions, signal: AbortSignal): Promise<OpenedReports> {
  const { config, chain, state, logger, baseUrl } = options
  const firstBlock = chain.isDev ? 0 : await findFirstBlock(chain.rpcUrls, signal)
  const pipeline = await openPipeline(
    {
      state,
      logger,
      tracer: options.tracer,
      firstBlock,
      baseUrl,
      pollMs: POLL_MS[kindOf(chain)],
      publishSeconds: publishSecondsOf(config, chain),
      ledgerUrl: ledgerUrlOf(config),
      rpcUrls: chain.rpcUrls,
      isCrossChecked: config.TOLLBOOK_CHAIN_CROSS_CHECK === 'on',
      portals: chain.isDev ? [] : openPortals(config),
      ...(config.TOLLBOOK_FACILITATORS_FILE !== undefined && {
        facilitatorsFile: config.TOLLBOOK_FACILITATORS_FILE,
      }),
      head: chain.isDev ? 'latest' : 'safe',
      finalHead: chain.access.finalTag,
      moreFacilitators: chain.isDev ? await listDemoFacilitators() : [],
      listingSources: options.sources,
      operatorWallets: operatorWalletsOf(config),
      labelsFile: config.TOLLBOOK_LABELS_FILE,
      ...(config.TOLLBOOK_LEDGER_WEEKS !== undefined && { retentionWeeks: config.TOLLBOOK_LEDGER_WEEKS }),
      // The sources are the operator's own services, often on this machine.
      fetch: createSafeFetch({ allowPrivateNetwork: true }),
      alertFetch: createSafeFetch({
        ...outsideOptions(config, baseUrl),
        // Receivers of the local chain run on this machine.
        ...(chain.isDev && { allowPrivateNetwork: true, refusedHosts: new Set<string>() }),
      }),
      outside: {
        catalogues: config.TOLLBOOK_DISCOVERY_URLS,
        fetch: createSafeFetch(outsideOptions(config, baseUrl)),
        // The hosts of the demo week do not exist.
        visitsMerchants: !chain.isDev,
        checksHealth: config.TOLLBOOK_CHECK_ENDPOINTS === 'on',
      },
      archive: openArchive(config, state),
      now: () => new Date(),
    },
    signal,
  )
  return {
    pipeline,
    async catchUp(onProgress, signal) {
      const arrival = new AbortController()
      let begin: number | null = null
      let payments = 0
      const work = async (signal: AbortSignal) => {
        const before = payments
        await pipeline.indexToHead(signal, ({ firstBlock, endBlock, head, payments: more }) => {
          // After a failure it resumes, and so does the count.
          begin ??= firstBlock
          payments = before + more
          onProgress(endBlock - begin, head + 1 - begin, payments)
        })
        arrival.abort()
      }
      await runLoop({ work, everyMs: 0, name: 'indexing', logger }, AbortSignal.any([signal, arrival.signal]))
      signal.throwIfAborted()
    },
  }
}

/** Where receipts are read, in order of preference; the nodes are last. */
function openPortals(config: Config): readonly Portal[] {
  const { TOLLBOOK_HYPERSYNC_URL: hyperSync, TOLLBOOK_SQD_URL: sqd } = config
  return [
    ...(hyperSync === undefined
      ? []
      : [createHyperSync({ url: hyperSync, token: config.TOLLBOOK_HYPERSYNC_TOKEN })]),
    ...(sqd === undefined ? [] : [createSqd({ url: sqd, token: config.TOLLBOOK_SQD_TOKEN })]),
  ]
}

/** Seconds between two publications of the rolling window. */
export function publishSecondsOf(config: Config, chain: Pick<ReadChainSetting, 'isDev'>): number {
  return config.TOLLBOOK_PUBLISH_SECONDS ?? PUBLISH_SECONDS[kindOf(chain)]
}

export function openArchive(config: Config, state: State): EvidenceArchive {
  const folder = join(config.TOLLBOOK_DATA_DIR, 'evidence')
  return openEvidenceArchive(state, { folder, now: () => new Date() })
}

export function ledgerUrlOf(config: Config): string {
  return config.TOLLBOOK_LEDGER_URL ?? `duckdb:${join(config.TOLLBOOK_DATA_DIR, 'ledger')}`
}

function kindOf({ isDev }: Pick<ReadChainSetting, 'isDev'>): 'dev' | 'base' {
  return isDev ? 'dev' : 'base'
}

/** Settlements of the paid services and of the demo week are sent by these. Only the local chain needs its package. */
async function listDemoFacilitators(): Promise<readonly string[]> {
  const { createDemoFacilitators } = await import('@tollbook/devchain/demo-week/demo-wallet').catch(
    throwAbsence,
  )
  return [devFacilitatorAddress, ...createDemoFacilitators().map(({ address }) => address)]
}

async function findFirstBlock(urls: readonly string[], signal: AbortSignal): Promise<number> {
  const { rpc } = await openNodes({ urls, chainId: BASE.chainId }, signal)
  const head = Number(await rpc.call('eth_blockNumber', [], signal))
  return Math.max(0, head - BASE.weekBlocks - BLOCKS_BEFORE_WINDOW)
}
