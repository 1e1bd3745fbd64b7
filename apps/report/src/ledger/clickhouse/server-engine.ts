import { Readable } from 'node:stream'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { withEngineFailures } from './engine-failure.ts'

/** The operations that the ledger needs of one ClickHouse server. */
export type Engine = {
  readonly version: string
  command(sql: string, signal?: AbortSignal): Promise<void>
  /** Rows of a query as strings; TSV is never unescaped, so select only numbers and hex. */
  rows(sql: string, signal: AbortSignal): Promise<readonly (readonly string[])[]>
  /** Inserts rows that are encoded as TSV; returns when the server has fsynced all of them. */
  insert(insertion: Insertion, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

type Insertion = {
  readonly table: string
  readonly columns: readonly string[]
  readonly tsv: Uint8Array
}

/** Grouping a week of the busiest chain takes seconds; this only stops queries that hang. */
const REQUEST_TIMEOUT_MS = 120_000
/** A statement lists thousands of attempts and payees; defaults are 256 KiB and 50,000 elements. */
const STATEMENT_LIMITS = Object.freeze({
  max_query_size: '100000000',
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
})

/** Opens `http(s)://[user:password@]host[:port][/database]`. @throws Unreachable when it does not answer. */
export async function openServerEngine(url: string): Promise<Engine> {
  const where = new URL(url).host
  const client = createClient({
    url,
    request_timeout: REQUEST_TIMEOUT_MS,
    clickhouse_settings: STATEMENT_LIMITS,
    // Errors are thrown; the caller that cannot continue logs them.
    log: { level: ClickHouseLogLevel.OFF },
  })
  const query = (sql: string, signal?: AbortSignal) =>
    withEngineFailures(where, async () => {
      const result = await client.query({
        query: sql,
        format: 'TabSeparated',
        ...(signal && { abort_signal: signal }),
      })
      return result.text()
    })
  try {
    const version = (await query('SELECT version()')).trim()
    return {
      version,
      command: (sql, signal) =>
        withEngineFailures(where, async () => {
          await client.command({ query: sql, ...(signal && { abort_signal: signal }) })
        }),
      rows: async (sql, signal) => splitTsv(await query(sql, signal)),
      insert: (insertion, signal) => withEngineFailures(where, () => insert(client, insertion, signal)),
      close: () => client.close(),
    }
  } catch (error) {
    await client.close()
    throw error
  }
}

async function insert(
  client: ReturnType<typeof createClient>,
  { table, columns, tsv }: Insertion,
  signal: AbortSignal,
): Promise<void> {
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
}

/** Splits a TSV result without strings that would need unescaping. */
function splitTsv(text: string): readonly (readonly string[])[] {
  if (text === '') return []
  return text
    .slice(0, text.endsWith('\n') ? -1 : undefined)
    .split('\n')
    .map((line) => line.split('\t'))
}
