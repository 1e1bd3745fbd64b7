import { PermanentError } from '../../fetching/failure.ts'
import { openChdbEngine } from './chdb-engine.ts'
import type { Engine } from './engine.ts'
import { openServerEngine } from './server-engine.ts'

/** Where the rows of the ledger lie: one ClickHouse, or the servers of a cluster. */
export type Servers = {
  /** Answers queries; the only server, or the one that the URL names. */
  readonly reader: Engine
  /** By shard: a row lies on every server of one shard, which are each other's replicas. */
  readonly shards: readonly (readonly Engine[])[]
  /** Name of the cluster as the reader's settings know it; null for a single ClickHouse. */
  readonly cluster: string | null
  close(): Promise<void>
}

/**
 * Opens what a ledger URL names.
 * @param url `chdb:<folder>`, `http(s)://…`, or `http(s)://…?cluster=<name>`
 * @throws PermanentError for any other URL, for a cluster that the server does not know, and when chDB is asked
 *   for but not installed; Unreachable when a server does not answer.
 */
export async function openServers(url: string): Promise<Servers> {
  if (url.startsWith('chdb:')) return toSingle(await openChdbEngine(url.slice('chdb:'.length)))
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new PermanentError('a ledger URL begins with chdb:, http:// or https://')
  const address = new URL(url)
  const cluster = address.searchParams.get('cluster')
  address.searchParams.delete('cluster')
  const reader = await openServerEngine(address.href)
  if (cluster === null) return toSingle(reader)
  const opened: Engine[] = [reader]
  const close = async () => {
    for (const engine of opened) await engine.close()
  }
  try {
    const shards: Engine[][] = []
    for (const [shard = '', host = ''] of await readHosts(reader, cluster)) {
      // A cluster's settings name the port of the native protocol; that of HTTP is taken to be the same everywhere.
      const server = new URL(address)
      server.hostname = host.includes(':') ? `[${host}]` : host
      const engine = await openServerEngine(server.href)
      opened.push(engine)
      const at = Number(shard) - 1
      shards[at] = [...(shards[at] ?? []), engine]
    }
    return { reader, shards, cluster, close }
  } catch (error) {
    await close()
    throw error
  }
}

function toSingle(engine: Engine): Servers {
  return { reader: engine, shards: [[engine]], cluster: null, close: () => engine.close() }
}

/** Shard, counted from 1, and host of every server of a cluster. */
async function readHosts(reader: Engine, cluster: string): Promise<readonly (readonly string[])[]> {
  // The name becomes a part of statements and of the names of tables.
  if (!/^\w{1,64}$/.test(cluster))
    throw new PermanentError('a cluster of the ledger has a name of letters, digits and _')
  const hosts = await reader.rows(
    `SELECT shard_num, host_name FROM system.clusters WHERE cluster = '${cluster}' ORDER BY shard_num, replica_num`,
    AbortSignal.timeout(10_000),
  )
  if (hosts.length === 0)
    throw new PermanentError(`the ClickHouse server of the ledger knows no cluster ${cluster}`)
  return hosts
}
