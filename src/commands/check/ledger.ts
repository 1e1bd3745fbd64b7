import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { openServers } from '../../report/ledger/servers.ts'
import { ledgerUrlOf } from '../setup/open-reports.ts'
import type { Finding } from './finding.ts'

const NAME = 'ledger'

export async function checkLedger(config: Config): Promise<readonly Finding[]> {
  const url = ledgerUrlOf(config)
  const indexer = await checkIndexer(config)
  const isChdb = url.startsWith('chdb:')
  const folder = url.slice('chdb:'.length)
  if (isChdb && !existsSync(folder)) {
    return [
      { verdict: 'note', name: NAME, text: `${url} does not exist yet; the first start creates it` },
      indexer,
    ]
  }
  if (isChdb && indexer.verdict === 'ok')
    return [{ verdict: 'note', name: NAME, text: `${url} belongs to the running indexer` }, indexer]
  const holder = isChdb ? readHolder(folder) : null
  if (holder !== null) {
    const running: Finding = { verdict: 'ok', name: 'indexer', text: `runs in process ${holder}` }
    return [
      { verdict: 'note', name: NAME, text: `${url} belongs to the running process ${holder}` },
      config.TOLLBOOK_INDEXER_URL ? indexer : running,
    ]
  }
  const servers = await openServers(url)
  try {
    const hosts = servers.shards.flat().length
    const where = isChdb
      ? url
      : `ClickHouse at ${new URL(url).host}${servers.cluster === null ? '' : `, cluster ${servers.cluster}: ${servers.shards.length} shards, ${hosts} servers`}`
    return [{ verdict: 'ok', name: NAME, text: `${where}, version ${servers.reader.version}` }, indexer]
  } finally {
    await servers.close()
  }
}

/** The running process that the engine's pid file in its folder names, such as a running `start`. */
function readHolder(folder: string): number | null {
  const status = join(folder, 'status')
  const [, written] = (existsSync(status) && /^PID: (\d+)$/m.exec(readFileSync(status, 'utf8'))) || []
  if (written === undefined) return null
  try {
    process.kill(Number(written), 0)
    return Number(written)
  } catch (error) {
    // EPERM: the process belongs to another user, and runs (kill(2)).
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? Number(written) : null
  }
}

/** Checks whether an indexer serves evidence at the configured address. */
async function checkIndexer(config: Config): Promise<Finding> {
  const url = config.TOLLBOOK_INDEXER_URL ?? `http://127.0.0.1:${config.TOLLBOOK_INDEXER_PORT}`
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) })
    await response.body?.cancel()
    if (response.ok) return { verdict: 'ok', name: 'indexer', text: `serves at ${url}` }
    return { verdict: 'failed', name: 'indexer', text: `${url} answers with status ${response.status}` }
  } catch {
    const text = `no indexer serves at ${url}`
    return { verdict: config.TOLLBOOK_INDEXER_URL ? 'failed' : 'note', name: 'indexer', text }
  }
}
