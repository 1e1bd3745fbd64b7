import type { Logger } from 'pino'
import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import { createProgress } from '../flow/progress.ts'
import { listen } from '../http/server/serve.ts'
import { readAgain } from '../report/ledger/coverage/coverage.ts'
import { openReports } from '../report/open/open-reports.ts'
import { findSources } from '../report/open/sources.ts'
import { runLoop } from '../report/pipeline/run-loop.ts'
import { createEvidenceApp } from '../report/routes/serve-evidence.ts'
import { findReadChain } from '../runtime/chain/chain-setting.ts'
import type { Config } from '../runtime/config.ts'
import { placeService } from '../runtime/places/addresses.ts'
import { stateUrlOf } from '../runtime/places/state-url.ts'
import { announce } from '../runtime/process/announce.ts'
import { openLog } from '../runtime/process/open-log.ts'
import { openTracer } from '../runtime/process/open-tracer.ts'
import { runUntilStopped, type Shutdown } from '../runtime/process/shutdown.ts'
import { takeLead } from '../state/lead.ts'
import { type Bound, readBound, toBlock } from './block-bound.ts'
import type { Command } from './command.ts'
import { findFileIssues } from './file-issues.ts'
import { openStore } from './open-store.ts'

export const index: Command = {
  name: 'index',
  summary: 'Read the chain into the ledger and publish reports; serves evidence to the report service.',
  usage: '',
  notes: [
    'Runs until it is stopped, and may be killed at any moment. Needs TOLLBOOK_CHAIN_RPC_URL, or the local chain of a',
    'running tollbook start; no wallet and no key. Of several indexers with one PostgreSQL state, one works and the',
    'others wait to take over; with a SQLite state, start only one.',
  ],
  options: {
    'again-from': {
      type: 'string',
      value: 'block|day',
      help: 'read the blocks from there on again, as after an update that reads more',
    },
  },
  async run({ values }) {
    const bound = readBound(values['again-from'], '--again-from')
    return runUntilStopped((config, shutdown) => startIndexing(config, bound, shutdown))
  },
}

async function startIndexing(config: Config, againFrom: Bound, shutdown: Shutdown): Promise<void> {
  const { phase } = createProgress()
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findReadChain(config, await findFileIssues(config, ['index']))
  const state = await openStore(config, shutdown)
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
