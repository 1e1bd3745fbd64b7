import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { createProgress } from '@tollbook/flow/progress'
import { listen } from '@tollbook/http/server/serve'
import { findReadChain } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { stateUrlOf } from '@tollbook/runtime/places/state-url'
import { announce } from '@tollbook/runtime/process/announce'
import { openLog } from '@tollbook/runtime/process/open-log'
import { openTracer } from '@tollbook/runtime/process/open-tracer'
import { runUntilStopped, type Shutdown } from '@tollbook/runtime/process/shutdown'
import { takeLead } from '@tollbook/store/lead'
import type { Logger } from 'pino'
import { readAgain } from '../ledger/coverage/coverage.ts'
import type { OpenState } from '../open/open-ledger.ts'
import { openReports } from '../open/open-reports.ts'
import { findSources } from '../open/sources.ts'
import { runLoop } from '../pipeline/run-loop.ts'
import { createEvidenceApp } from '../routes/serve-evidence.ts'
import { type Bound, readBound, toBlock } from './block-bound.ts'

type Opening = {
  readonly openState: OpenState
  /** Adds the services that are installed to the settings. */
  readonly complete: (config: Config) => Promise<Config>
  /** What is wrong in the files that settings name. */
  readonly findIssues: (config: Config) => Promise<readonly string[]>
}

/** `tollbook index`. @returns the exit code. @throws UsageError */
export async function runIndex(values: Readonly<Record<string, unknown>>, opening: Opening): Promise<number> {
  const bound = readBound(values['again-from'], '--again-from')
  return runUntilStopped(async (config, shutdown) =>
    startIndexing({ ...opening, config: await opening.complete(config), shutdown }, bound),
  )
}

async function startIndexing(
  {
    config,
    shutdown,
    openState,
    findIssues,
  }: Opening & { readonly config: Config; readonly shutdown: Shutdown },
  againFrom: Bound,
): Promise<void> {
  const { phase } = createProgress()
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findReadChain(config, await findIssues(config))
  const state = await openState(config, shutdown)
  const { baseUrl } = await placeService(config, 'report')
  const sources = await findSources(config)
  let unread = againFrom
  const work = (signal: AbortSignal) =>
    leadOnce(config, { logger, signal }, async (term) => {
      const reports = await openReports({ config, chain, state, logger, tracer, sources, baseUrl }, term)
      const { pipeline } = reports
      try {
        if (unread !== null) {
          const rpc = createReadRpc({ url: chain.access.rpcUrl })
          const fromBlock = await toBlock(unread, 0, { rpc }, term)
          const nextBlock = await readAgain({ state, chain: pipeline.chain }, fromBlock, new Date())
          logger.warn({ nextBlock }, 'reading the chain again from this block, as requested')
          unread = null
        }
        // Evidence of published reports is served while indexing continues; its clients run on this machine.
        const listening = await listen({
          app: createEvidenceApp({ evidence: pipeline.evidence, state, logger }),
          host: '127.0.0.1',
          port: config.TOLLBOOK_INDEXER_PORT,
          logger,
        })
        try {
          await phase('blocks', ({ at }) =>
            reports.catchUp((done, total, payments) => at(done, total, 'blocks', { payments }), term),
          )
          await phase('reports', () => pipeline.publish(term))
          const running = pipeline.run(term)
          announce([
            ['evidence', listening.url],
            ['chain', new URL(chain.access.rpcUrl).origin],
          ])
          await running
        } finally {
          await listening.close()
        }
      } finally {
        await pipeline.close()
      }
    })
  const running = runLoop({ work, everyMs: 0, name: 'indexing', logger }, shutdown.signal)
  shutdown.onClose(() => running.catch(() => {}))
  await running
}

/** Waits for the lead, and works until the signal or until the database ends the lead, as in a failover. */
async function leadOnce(
  config: Config,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
  work: (term: AbortSignal) => Promise<void>,
): Promise<void> {
  const onStandby = () => announce([['standby', 'another indexer works; this one takes over when it ends']])
  const lead = await takeLead(stateUrlOf(config), 'indexer', { signal, onStandby })
  const end = new AbortController()
  void lead.lost.then(() => end.abort())
  try {
    await work(AbortSignal.any([signal, end.signal]))
  } catch (error) {
    if (!end.signal.aborted) throw error
  } finally {
    await lead.close().catch(() => {})
  }
  if (!signal.aborted) logger.warn('the state database ended the lead of this indexer; it waits for the next')
}
