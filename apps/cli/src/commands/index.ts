import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { createProgress } from '@tollbook/flow/progress'
import { listen } from '@tollbook/http/server/serve'
import { readAgain } from '@tollbook/report/ledger/coverage/coverage'
import { openReports } from '@tollbook/report/open/open-reports'
import { findSources } from '@tollbook/report/open/sources'
import { runLoop } from '@tollbook/report/pipeline/run-loop'
import { createEvidenceApp } from '@tollbook/report/routes/serve-evidence'
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
import { type Bound, readBound, toBlock } from './block-bound.ts'
import type { Command } from './command.ts'
import { findFileIssues } from './file-issues.ts'
import { openStore } from './open-store.ts'

export const index: Command = {
  name: 'index',
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
