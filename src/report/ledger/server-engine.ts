import { Readable } from 'node:stream'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { type Engine, STATEMENT_LIMITS, splitTsv } from './engine.ts'
import { withEngineFailures } from './engine-failure.ts'

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
  const { host } = new URL(url)
  const query = (sql: string, signal?: AbortSignal) =>
    withEngineFailures(host, async () => {
      const result = await client.query({
        query: sql,
        format: 'TabSeparated',
        ...(signal ? { abort_signal: signal } : {}),
      })
      return result.text()
    })
  try {
    const version = (await query('SELECT version()')).trim()
    return {
      version,
      command: (sql, signal) =>
        withEngineFailures(host, async () => {
          await client.command({ query: sql, ...(signal ? { abort_signal: signal } : {}) })
        }),
      async rows(sql, signal) {
        return splitTsv(await query(sql, signal))
      },
      insert: ({ table, columns, tsv }, signal) =>
        withEngineFailures(host, async () => {
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
        }),
      close: () => client.close(),
    }
  } catch (error) {
    await client.close()
    throw error
  }
}
