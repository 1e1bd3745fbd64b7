import { PermanentError } from '@tollbook/flow/failure'
import { type Engine, openServerEngine } from './server-engine.ts'

/** Where the rows of the ledger are stored: one ClickHouse, or the servers of a cluster. */
export type Servers = {
  /** Answers queries; the only server, or the one in the URL. */
  readonly reader: Engine
  /** By shard: a row is stored on every server of one shard, which replicate each other. */
  readonly shards: readonly (readonly Engine[])[]
  /** Name of the cluster in the reader's settings; null for a single ClickHouse. */
  readonly cluster: string | null
  close(): Promise<void>
}

/**
 * Opens the servers of a ledger URL: `http(s)://…`, or `…?cluster=<name>` for every server of that cluster.
 * @throws PermanentError for an unknown cluster; Unreachable when a server does not answer
 */
export async function openServers(url: string): Promise<Servers> {
  const address = new URL(url)
  const cluster = address.searchParams.get('cluster')
  address.searchParams.delete('cluster')
  const reader = await openServerEngine(address.href)
  if (cluster === null) return { reader, shards: [[reader]], cluster: null, close: () => reader.close() }
  const opened: Engine[] = [reader]
  const close = async () => {
    for (const engine of opened) await engine.close()
  }
  try {
    const shards: Engine[][] = []
    for (const [shard = '', host = ''] of await readHosts(reader, cluster)) {
      // A cluster's settings contain the port of the native protocol; the HTTP port is assumed to be the same
      // everywhere.
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

/** Shard, numbered from 1, and host of every server of a cluster. */
async function readHosts(reader: Engine, cluster: string): Promise<readonly (readonly string[])[]> {
  // The name becomes part of statements and table names.
  if (!/^\w{1,64}$/.test(cluster))
    throw new PermanentError('the name of a ledger cluster may contain only letters, digits and _')
  const hosts = await reader.rows(
    `SELECT shard_num, host_name FROM system.clusters WHERE cluster = '${cluster}' ORDER BY shard_num, replica_num`,
    AbortSignal.timeout(10_000),
  )
  if (hosts.length === 0)
    throw new PermanentError(`the ClickHouse server of the ledger has no cluster ${cluster}`)
  return hosts
}
