import { once } from 'node:events'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { openEvidenceFolder } from '@tollbook/report/evidence/evidence-folder'
import { openPipeline } from '@tollbook/report/pipeline'
import pino from 'pino'

/**
 * An indexer to be killed: loads, waits for a line, then indexes; prints a line for each chunk and at the
 * head.
 */
const [folder = '', rpcUrl = '', firstBlock = '0'] = process.argv.slice(2)
process.stdout.write('loaded\n')
await once(process.stdin, 'data')

const { signal } = new AbortController()
const state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
await migrateState(state)
const pipeline = await openPipeline(
  {
    state,
    ledgerUrl: `duckdb:${join(folder, 'ledger')}`,
    rpcUrls: [rpcUrl],
    baseUrl: 'https://report.example',
    head: 'safe',
    finalHead: 'safe',
    firstBlock: Number(firstBlock),
    pollMs: 5,
    publishSeconds: 60,
    archive: openEvidenceFolder(join(folder, 'evidence')),
    moreFacilitators: [],
    listingSources: [],
    fetch: () => Promise.reject(new Error('no source is read here')),
    logger: pino({ level: 'silent' }),
    now: () => new Date(),
  },
  signal,
)
for (;;) {
  await pipeline.indexToHead(signal, () => process.stdout.write('chunk\n'))
  process.stdout.write('at-head\n')
  await new Promise((resolve) => setTimeout(resolve, 5))
}
