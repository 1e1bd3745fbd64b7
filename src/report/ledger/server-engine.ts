import { Readable } from 'node:stream'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { createEngine, type Engine, STATEMENT_LIMITS } from './engine.ts'

/** Grouping a week of the busiest chain takes seconds; this only stops queries that hang. */
const REQUEST_TIMEOUT_MS = 120_000

/** Opens `http(s)://[user:password@]host[:port][/database]`. @throws Unreachable when it does not answer. */
export async function openServerEngine(url: string): Promise<Engine> {
  const client = createClient({
    url,
    request_timeout: REQUEST_TIMEOUT_MS,
    clickhouse_settings: STATEMENT_LIMITS,
    // Errors are thrown; the caller that cannot continue logs them.
    log: { level: ClickHouseLogLevel.OFF },
  })
  return createEngine(client, new URL(url).host, async ({ table, columns, tsv }, signal) => {
    const values = Readable.from([tsv], { objectMode: false })
    const [first, ...rest] = columns
    if (first === undefined) throw new TypeError('an insert must list its columns')
    await client.insert({
      table,
      columns: [first, ...rest],
      values,
      format: 'TabSeparated',
      abort_signal: signal,
    })
  })
}
