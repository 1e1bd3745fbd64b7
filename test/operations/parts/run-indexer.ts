import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { openEvidencePieces } from '@tollbook/report/evidence/evidence-pieces'
import { openPipeline } from '@tollbook/report/pipeline'
import pino from 'pino'

/** An indexer as the product runs it, on a state and a ledger by URL; it logs to standard output. */
const [stateUrl = '', ledgerUrl = '', rpcUrl = '', facilitator = ''] = process.argv.slice(2)
const end = new AbortController()
process.once('SIGTERM', () => end.abort())
const state = await openState(stateUrl)
await migrateState(state)
const logger = pino({ level: 'info' })
const pipeline = await openPipeline(
  {
    state,
    ledgerUrl,
    rpcUrls: [rpcUrl],
    head: 'latest',
    finalHead: 'latest',
    firstBlock: 0,
    archive: openEvidencePieces(state, () => new Date()),
    moreFacilitators: [facilitator],
    listingSources: [],
    fetch: () => Promise.reject(new Error('no source is read here')),
    baseUrl: 'https://report.example',
    pollMs: 20,
    publishSeconds: 1,
    logger,
    now: () => new Date(),
  },
  end.signal,
)
logger.info('running')
await pipeline.run(end.signal)
await pipeline.close()
await state.close()
