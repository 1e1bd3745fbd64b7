import { Readable } from 'node:stream'
import { createClient } from '@clickhouse/client'
import { type Engine, splitTsv } from './engine.ts'

/** A week of the busiest chain is grouped in seconds; this only bounds what hangs. */
const REQUEST_TIMEOUT_MS = 120_000

/**
 * Opens a ClickHouse server, or a cluster behind one.
 * @param url `http(s)://[user:password@]host[:port][/database]`
 * @throws the client's own error when the server cannot be reached.
 */
export async function openServerEngine(url: string): Promise<Engine> {
  const client = createClient({ url, request_timeout: REQUEST_TIMEOUT_MS })
  const ask = async (sql: string, signal?: AbortSignal) => {
    const result = await client.query({
      query: sql,
      format: 'TabSeparated',
      ...(signal ? { abort_signal: signal } : {}),
    })
    return result.text()
  }
  const version = (await ask('SELECT version()')).trim()
  return {
    version,
    async command(sql, signal) {
      await client.command({ query: sql, ...(signal ? { abort_signal: signal } : {}) })
    },
    async rows(sql, signal) {
      return splitTsv(await ask(sql, signal))
    },
    async insert({ table, columns, tsv }, signal) {
      const values = Readable.from([tsv], { objectMode: false })
      const [first, ...rest] = columns
      if (first === undefined) throw new TypeError('an insertion names its columns')
      await client.insert({
        table,
        columns: [first, ...rest],
        values,
        format: 'TabSeparated',
        abort_signal: signal,
      })
    },
    close: () => client.close(),
  }
}
