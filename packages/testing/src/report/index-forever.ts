import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { openEvidenceFolder } from '@tollbook/report/evidence/evidence-folder'
import { openPipeline } from '@tollbook/report/pipeline'
import pino from 'pino'

/** An indexer to be killed: follows the chain of argument 4 and prints a line for each step. */
const [stateUrl = '', ledgerUrl = '', rpcUrl = '', facilitator = ''] = process.argv.slice(2)
const { signal } = new AbortController()
const state = await openState(stateUrl)
await migrateState(state)
const pipeline = await openPipeline(
  {
    state,
    ledgerUrl,
    rpcUrls: [rpcUrl],
    head: 'latest',
    finalHead: 'latest',
    firstBlock: 0,
    archive: openEvidenceFolder(join(tmpdir(), 'tollbook-no-evidence')),
    moreFacilitators: [facilitator],
    listingSources: [],
    fetch: () => Promise.reject(new Error('no source is read here')),
    baseUrl: 'https://report.example',
    pollMs: 5,
    publishSeconds: 60,
    logger: pino({ level: 'silent' }),
    now: () => new Date(),
  },
  signal,
)
for (;;) process.stdout.write(`${(await pipeline.index(signal)).kind}\n`)
