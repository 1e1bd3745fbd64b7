import { join } from 'node:path'
import type { Logger } from 'pino'
import { createRateLimiter } from '../../catalogue/rate-limit.ts'
import { listen } from '../../catalogue/serve.ts'
import type { Config } from '../../config.ts'
import { devFacilitatorAddress } from '../../devchain/accounts.ts'
import { createDemoFacilitators } from '../../devchain/demo-week/demo-wallet.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { BASE } from '../../money/base.ts'
import { openPipeline } from '../../report/pipeline.ts'
import { createReportApp } from '../../report/service.ts'
import type { State } from '../../state/state.ts'
import type { Place } from './addresses.ts'
import type { ChainSetting } from './chain.ts'

export type ReportingOptions = {
  readonly config: Config
  readonly chain: ChainSetting
  readonly state: State
  readonly logger: Logger
  /** Base URLs of the operator's own services, whose listings are read. */
  readonly sources: readonly string[]
  readonly place: Place
  /** Told how many blocks of the first indexing are read. */
  readonly onProgress: (done: number, total: number) => void
  /** Told when indexing or publishing can no longer go on. */
  readonly onGone: (error: Error) => void
}

/** On Base the first indexing begins an hour before the rolling window, in blocks. */
const BLOCKS_BEFORE_WINDOW = 1_800
const PUBLISH_SECONDS = { dev: 5, base: 600 }
const POLL_MS = { dev: 500, base: 2_000 }

/** Indexes up to the head, publishes once, serves the reports, and goes on indexing and publishing. */
export async function openReporting(options: ReportingOptions): Promise<{ close(): Promise<void> }> {
  const { config, chain, state, logger, place } = options
  const kind = chain.isDev ? 'dev' : 'base'
  const publishSeconds = config.TOLLBOOK_PUBLISH_SECONDS ?? PUBLISH_SECONDS[kind]
  const end = new AbortController()
  const head = await readHead(chain.access.rpcUrl)
  const firstBlock = chain.isDev ? 0 : head - BASE.weekBlocks - BLOCKS_BEFORE_WINDOW
  const pipeline = await openPipeline(
    {
      ...{ state, logger, publishSeconds, firstBlock, baseUrl: place.baseUrl, pollMs: POLL_MS[kind] },
      ledgerUrl: config.TOLLBOOK_LEDGER_URL ?? `chdb:${join(config.TOLLBOOK_DATA_DIR, 'ledger')}`,
      rpcUrl: chain.access.rpcUrl,
      head: chain.isDev ? 'latest' : 'safe',
      finalHead: chain.access.finalTag,
      moreFacilitators: chain.isDev ? demoFacilitators() : [],
      listingSources: options.sources,
      // The sources are the operator's own services, often on this machine.
      fetch: createSafeFetch({ allowPrivateNetwork: true }),
      now: () => new Date(),
    },
    end.signal,
  )
  for (;;) {
    const step = await pipeline.index(end.signal)
    if (step.kind === 'at-head') break
    if (step.kind === 'blocks') options.onProgress(step.endBlock - firstBlock, step.head - firstBlock + 1)
  }
  await pipeline.publish(end.signal)

  const limiter = createRateLimiter(config.TOLLBOOK_UNPAID_PER_MINUTE)
  const app = createReportApp({
    ...{ state, logger, publishSeconds, limiter, evidence: pipeline.evidence, baseUrl: place.baseUrl },
    trustedProxies: config.TOLLBOOK_TRUSTED_PROXIES,
  })
  const listening = await listen({ app, host: place.host, port: place.port, logger })
  const running = pipeline.run(end.signal).catch((error: Error) => {
    if (!end.signal.aborted) options.onGone(error)
  })
  return {
    async close() {
      await listening.close()
      end.abort(new Error('closing'))
      await running
      await pipeline.close()
    },
  }
}

/** Settlements of the paid services and of the demo week are sent by these. */
function demoFacilitators(): readonly string[] {
  return [devFacilitatorAddress, ...createDemoFacilitators().map(({ address }) => address)]
}

async function readHead(rpcUrl: string): Promise<number> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
    signal: AbortSignal.timeout(10_000),
  })
  const { result } = (await response.json()) as { result: string }
  return Number(result)
}
