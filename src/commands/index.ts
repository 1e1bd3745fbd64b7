import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import type { Config } from '../config.ts'
import { RetryableError } from '../fetching/failure.ts'
import { listen } from '../http/server/serve.ts'
import { createEvidenceApp } from '../report/evidence/serve-evidence.ts'
import { readAgain } from '../report/ledger/coverage.ts'
import { takeLead } from '../state/lead.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'
import { placeService } from './setup/addresses.ts'
import { announce } from './setup/announce.ts'
import { type Bound, readBound, toBlock } from './setup/block-bound.ts'
import { findReadChain } from './setup/chain.ts'
import { openLog } from './setup/open-log.ts'
import { openReports } from './setup/open-reports.ts'
import { openTracer } from './setup/open-tracer.ts'
import { runUntilStopped, type Shutdown } from './setup/shutdown.ts'
import { findSources } from './setup/sources.ts'
import { stateUrlOf } from './setup/state-url.ts'
import { openStore } from './setup/store.ts'

/** `tollbook index`: runs the indexer only. */
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
  const { signal } = shutdown
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findReadChain(config)
  const state = await openStore(config, shutdown)
  await leadOrWait(config, shutdown)
  const { baseUrl } = await placeService(config, 'report')
  const sources = await findSources(config)
  const reports = await openReports({ config, chain, state, logger, tracer, sources, baseUrl }, signal)
  const { pipeline } = reports
  shutdown.onClose(() => pipeline.close())
  if (againFrom !== null) {
    const rpc = createReadRpc({ url: chain.access.rpcUrl })
    const fromBlock = await toBlock(againFrom, 0, { rpc }, signal)
    const nextBlock = await readAgain({ state, chain: pipeline.chain }, fromBlock, new Date())
    logger.warn({ nextBlock }, 'reading the chain again from this block, as requested')
  }
  // Evidence of published reports is served while indexing continues; its clients run on this machine.
  const listening = await listen({
    app: createEvidenceApp({ evidence: pipeline.evidence, state, logger }),
    host: '127.0.0.1',
    port: config.TOLLBOOK_INDEXER_PORT,
    logger,
  })
  shutdown.onClose(() => listening.close())
  await phase('blocks', ({ at }) =>
    reports.catchUp((done, total, payments) => at(done, total, 'blocks', { payments }), signal),
  )
  await phase('reports', () => pipeline.publish(signal))
  const running = pipeline.run(signal).catch((error: Error) => {
    if (!signal.aborted) shutdown.fail(error)
  })
  shutdown.onClose(() => running)
  announce([
    ['evidence', listening.url],
    ['chain', new URL(chain.access.rpcUrl).origin],
  ])
}

/** Returns once no other indexer works on the same state; the process ends when another may. */
async function leadOrWait(config: Config, shutdown: Shutdown): Promise<void> {
  const onStandby = () => announce([['standby', 'another indexer works; this one takes over when it ends']])
  const { signal } = shutdown
  const lead = await takeLead(stateUrlOf(config), 'indexer', { signal, onStandby })
  shutdown.onClose(() => lead.close())
  void lead.lost.then(() => {
    if (!signal.aborted)
      shutdown.fail(new RetryableError('the state database ended this indexer; another may work now'))
  })
}
