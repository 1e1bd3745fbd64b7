import type { createClient } from '@clickhouse/client'
import { withEngineFailures } from './engine-failure.ts'

/** The operations that the ledger needs of ClickHouse, embedded in this process or on a server. */
export interface Engine {
  readonly version: string
  command(sql: string, signal?: AbortSignal): Promise<void>
  /** Rows of a query as strings; TSV is never unescaped, so select only numbers and hex. */
  rows(sql: string, signal: AbortSignal): Promise<readonly (readonly string[])[]>
  /** Inserts rows that are encoded as TSV; returns when the engine has fsynced all of them. */
  insert(insertion: Insertion, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export type Insertion = {
  readonly table: string
  readonly columns: readonly string[]
  readonly tsv: Uint8Array
}

/** A statement lists thousands of attempts and payees; defaults are 256 KiB and 50,000 elements. */
export const STATEMENT_LIMITS = Object.freeze({
  max_query_size: '100000000',
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
})

/**
 * An engine on a client, which it closes, also if ClickHouse cannot be reached.
 * @param where the server or folder, for errors. @param insert the way to insert bytes with this client
 */
export async function createEngine(
  client: ReturnType<typeof createClient>,
  where: string,
  insert: Engine['insert'],
): Promise<Engine> {
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
      insert: (insertion, signal) => withEngineFailures(where, () => insert(insertion, signal)),
      close: () => client.close(),
    }
  } catch (error) {
    await client.close()
    throw error
  }
}

/** Splits a TSV result without strings that would need unescaping. */
function splitTsv(text: string): readonly (readonly string[])[] {
  if (text === '') return []
  return text
    .slice(0, text.endsWith('\n') ? -1 : undefined)
    .split('\n')
    .map((line) => line.split('\t'))
}
