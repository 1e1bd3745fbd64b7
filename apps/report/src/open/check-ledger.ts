import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import { openServers } from '../ledger/clickhouse/servers.ts'
import { DuckdbDatabase, FILE } from '../ledger/duckdb/duckdb-database.ts'
import { LedgerHeld } from '../ledger/duckdb/duckdb-failure.ts'
import { folderOf } from '../ledger/ledger-url.ts'
import { holdsChdbLedger } from '../ledger/upkeep/repair-payments.ts'
import { ledgerUrlOf } from './open-reports.ts'

const NAME = 'ledger'

export async function checkLedger(config: Config): Promise<readonly Finding[]> {
  const url = ledgerUrlOf(config)
  const folder = folderOf(url)
  const indexer = await checkIndexer(config)
  if (folder === null) return [await checkServers(url), indexer]
  if (!existsSync(join(folder, FILE))) {
    const text = holdsChdbLedger(folder)
      ? `${folder} has the ledger of version 1.0.0; the first start reads its payments from the chain again`
      : `${url} does not exist yet; the first start creates it`
    return [{ verdict: 'note', name: NAME, text }, indexer]
  }
  if (indexer.verdict === 'ok')
    return [{ verdict: 'note', name: NAME, text: `${url} belongs to the running indexer` }, indexer]
  try {
    const database = await DuckdbDatabase.open(folder)
    const [[version] = []] = await database.rows('SELECT version()', AbortSignal.timeout(5_000))
    await database.close()
    return [{ verdict: 'ok', name: NAME, text: `${url}, DuckDB ${version}` }, indexer]
  } catch (error) {
    if (!(error instanceof LedgerHeld)) throw error
    const process = error.holder ?? 'another process'
    const running: Finding = { verdict: 'ok', name: 'indexer', text: `runs in ${process}` }
    return [
      { verdict: 'note', name: NAME, text: `${url} is in use by ${process}` },
      config.TOLLBOOK_INDEXER_URL ? indexer : running,
    ]
  }
}

async function checkServers(url: string): Promise<Finding> {
  const servers = await openServers(url)
  try {
    const { shards, cluster, reader } = servers
    const where =
      cluster === null ? '' : `, cluster ${cluster}: ${shards.length} shards, ${shards.flat().length} servers`
    const text = `ClickHouse at ${new URL(url).host}${where}, version ${reader.version}`
    return { verdict: 'ok', name: NAME, text }
  } finally {
    await servers.close()
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
