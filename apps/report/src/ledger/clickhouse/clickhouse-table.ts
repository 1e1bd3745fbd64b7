import { randomBytes } from 'node:crypto'
import { PermanentError } from '@tollbook/flow/failure'
import {
  type LedgerTable,
  PARTITION_SECONDS,
  ROWS_PER_INSERT,
  type TableDefinition,
} from '../engine/table.ts'
import type { Engine } from './server-engine.ts'
import type { Servers } from './servers.ts'
import { toTsv } from './tsv.ts'

/** The first version whose tables support fsync on insert. */
const FIRST_FSYNC_VERSION = [20, 10] as const

/** Opens a chain's table on every server, created where missing; `secret` is that of `readKeySecret`. */
export async function openClickhouseTable<Row>(
  servers: Servers,
  definition: TableDefinition<Row>,
  { chain, secret }: { readonly chain: string; readonly secret: string },
): Promise<LedgerTable<Row>> {
  const own = `${definition.name}_${chain}`
  const everywhere = servers.shards.flat()
  for (const engine of everywhere) {
    await engine.command(ownTable(own, definition, engine, secret))
    await addColumns(engine, own, definition)
  }
  const table = servers.cluster === null ? own : await openCommonTable(own, definition, servers)
  const names = definition.columns.map(({ name }) => name)
  const copied = names.join(', ')
  const commandAll = async (sql: string, signal: AbortSignal) => {
    await Promise.all(everywhere.map((engine) => engine.command(sql, signal)))
  }
  return {
    table,
    async insert(attempt, rows, signal) {
      // Encoding the next rows as TSV while the engine stores the last ones uses both cores.
      let last = Promise.resolve()
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
        const some = rows.slice(at, at + ROWS_PER_INSERT)
        const tsvs = distribute(some, servers.shards.length).map((part) => toTsv(definition, part, attempt))
        await last
        last = insertAll(servers, { table: own, columns: [...names, 'attempt'], tsvs }, signal)
        // The next await throws any error; until then this prevents an unhandled rejection.
        last.catch(() => {})
      }
      await last
    },
    merge: (attempt, from, signal) =>
      commandAll(
        `INSERT INTO ${own} (${copied}, attempt) SELECT ${copied}, toUInt64(${attempt}) FROM ${own} ` +
          `WHERE attempt IN (${from.join(', ')})`,
        signal,
      ),
    async remove(attempts, signal) {
      if (attempts.length === 0) return
      const isOld = `attempt IN (${attempts.join(', ')})`
      await Promise.all(everywhere.map((engine) => removeWhere(engine, { table: own, isOld }, signal)))
    },
    removeWeek: (week, signal) => commandAll(`ALTER TABLE ${own} DROP PARTITION ${week}`, signal),
  }
}

/**
 * The secret of a chain's wallet keys. Only the definitions of its tables contain it: it is read from the
 * table of the first server, which is created with a new secret if missing.
 *
 * Queries group by 8-byte keys, four times as fast as by 20-byte addresses. A key is a hash of secret and
 * address, so nobody can search for two wallets with one key; the probability that any two of ten million
 * wallets share a key by chance is 3 in a million.
 * @throws PermanentError when servers of a cluster have different secrets.
 */
export async function readKeySecret<Row>(
  servers: Servers,
  definition: TableDefinition<Row>,
  chain: string,
): Promise<string> {
  const own = `${definition.name}_${chain}`
  let secret = randomBytes(16).toString('hex')
  for (const engine of servers.shards.flat()) {
    await engine.command(ownTable(own, definition, engine, secret))
    const shown = await engine.rows(`SHOW CREATE TABLE ${own}`, AbortSignal.timeout(10_000))
    const found = /sipHash64\(concat\(\\*'([0-9a-f]{32})\\*'/.exec(String(shown))?.[1]
    if (found === undefined || (engine !== servers.shards[0]?.[0] && found !== secret))
      throw new PermanentError(`servers of the ledger's cluster define ${own} differently`)
    secret = found
  }
  return secret
}

function toSqlColumns(columns: TableDefinition<never>['columns']): readonly string[] {
  return [...columns.map(({ name, type }) => `${name} ${type}`), 'attempt UInt64']
}

function ownTable<Row>(
  name: string,
  { columns, keyed, orderBy }: TableDefinition<Row>,
  { version }: Engine,
  secret: string,
): string {
  const keys = keyed.map(
    (column) => `${column}_key UInt64 MATERIALIZED sipHash64(concat('${secret}', ${column}))`,
  )
  const all = [...toSqlColumns(columns), ...keys]
  const settings = canFsync(version) ? ' SETTINGS fsync_after_insert = 1' : ''
  return (
    `CREATE TABLE IF NOT EXISTS ${name} (${all.join(', ')}) ENGINE = MergeTree ` +
    `PARTITION BY intDiv(ts, ${PARTITION_SECONDS}) ORDER BY (${orderBy.join(', ')})${settings}`
  )
}

/** The table that reads every shard; rows are written directly to the servers. @returns its name. */
async function openCommonTable<Row>(
  own: string,
  definition: TableDefinition<Row>,
  { reader, shards, cluster }: Servers,
): Promise<string> {
  const { columns, keyed } = definition
  const name = `${own}_on_${cluster}`
  const all = [...toSqlColumns(columns), ...keyed.map((column) => `${column}_key UInt64`)]
  const [[database = 'default'] = []] = await reader.rows(
    'SELECT currentDatabase()',
    AbortSignal.timeout(10_000),
  )
  const sql =
    `CREATE TABLE IF NOT EXISTS ${name} (${all.join(', ')}) ` +
    `ENGINE = Distributed(${cluster}, ${database}, ${own})`
  // Clients may connect to any server of the cluster.
  for (const engine of [reader, ...shards.flat()]) {
    await engine.command(sql)
    await addColumns(engine, name, definition)
  }
  return name
}

/** Older servers lack `ADD COLUMN IF NOT EXISTS`, and another process may add the column at the same time. */
async function addColumns<Row>(
  engine: Engine,
  table: string,
  { columns, added = [] }: TableDefinition<Row>,
): Promise<void> {
  const isThere = async (name: string) => {
    const where = `database = currentDatabase() AND table = '${table}' AND name = '${name}'`
    const rows = await engine.rows(
      `SELECT name FROM system.columns WHERE ${where}`,
      AbortSignal.timeout(10_000),
    )
    return rows.length > 0
  }
  for (const { name, type } of columns) {
    if (!added.includes(name) || (await isThere(name))) continue
    try {
      await engine.command(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`)
    } catch (error) {
      if (!(await isThere(name))) throw error
    }
  }
}

/** Distributes rows round-robin: shards stay equal however unequal merchants are. */
function distribute<Row>(rows: readonly Row[], shards: number): readonly (readonly Row[])[] {
  if (shards === 1) return [rows]
  return Array.from({ length: shards }, (_, shard) => rows.filter((_, at) => at % shards === shard))
}

async function insertAll(
  { shards }: Servers,
  { table, columns, tsvs }: { table: string; columns: readonly string[]; tsvs: readonly Uint8Array[] },
  signal: AbortSignal,
): Promise<void> {
  const insertions = shards.flatMap((replicas, shard) => {
    const tsv = tsvs[shard]
    if (!tsv || tsv.length === 0) return []
    return replicas.map((engine) => engine.insert({ table, columns, tsv }, signal))
  })
  await Promise.all(insertions)
}

/** Restricts by the times of the rows, since a deletion otherwise reads all parts. */
async function removeWhere(
  engine: Engine,
  { table, isOld }: { readonly table: string; readonly isOld: string },
  signal: AbortSignal,
): Promise<void> {
  const rows = await engine.rows(`SELECT count(), min(ts), max(ts) FROM ${table} WHERE ${isOld}`, signal)
  const [[count = '0', first = '0', last = '0'] = []] = rows
  if (count === '0') return
  const isThen = `ts >= ${first} AND ts <= ${last}`
  await engine.command(`ALTER TABLE ${table} DELETE WHERE ${isThen} AND ${isOld}`, signal)
}

function canFsync(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [firstMajor, firstMinor] = FIRST_FSYNC_VERSION
  return major > firstMajor || (major === firstMajor && minor >= firstMinor)
}
