import type { Hex } from '@tollbook/chain/hex'
import { PermanentError } from '@tollbook/flow/failure'
import { ESCROW_EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { CLICKHOUSE } from './clickhouse/clickhouse-dialect.ts'
import { openClickhouseTable, readKeySecret } from './clickhouse/clickhouse-table.ts'
import { openServers } from './clickhouse/servers.ts'
import { DuckdbDatabase } from './duckdb/duckdb-database.ts'
import { DUCKDB } from './duckdb/duckdb-dialect.ts'
import { duckdbTableOf, openDuckdbTable } from './duckdb/duckdb-table.ts'
import { findReader } from './duckdb/reader-server.ts'
import type { Dialect } from './engine/dialect.ts'
import type { LedgerTable, TableDefinition } from './engine/table.ts'
import { folderOf } from './ledger-url.ts'
import { PAYMENT_TABLE } from './tables/payment-table.ts'
import { TRANSFER_TABLE } from './tables/transfer-table.ts'

/** Payments of one chain, append-only; coverage decides which attempts' rows are visible, exactly once. */
export type Ledger = LedgerTable<Payment> & {
  /** A subquery, used like a table: the payments out of escrows, with their keys. */
  readonly escrowed: string
  /** Transfers out of merchants and into buyers, stored like payments. */
  readonly transfers: LedgerTable<Transfer>
  /** In which its statements are written. */
  readonly dialect: Dialect
  /** Rows of a query as strings; numbers, hex and arrays of numbers only. */
  rows(sql: string, signal: AbortSignal): Promise<readonly (readonly string[])[]>
  close(): Promise<void>
}

/**
 * Opens the ledger of a chain, and makes its tables where there are none.
 * @param url `duckdb:<folder>` in this process, or as for `openServers`
 * @param chain hash of the genesis block, so that a new chain never meets the payments of an old one.
 * @throws PermanentError for any other URL, and for a folder that another process uses; as `openServers`
 */
export async function openLedger(url: string, chain: Hex): Promise<Ledger> {
  const engine = await openEngine(url)
  const name = nameOf(chain)
  try {
    const payments = await engine.open(PAYMENT_TABLE, name)
    return {
      ...payments,
      escrowed: `(SELECT block, log_index, ts, tx, buyer, merchant, amount, evidence, attempt, buyer_key, merchant_key
        FROM ${payments.table} WHERE bitAnd(evidence, ${ESCROW_EVIDENCE}) != 0)`,
      transfers: await engine.open(TRANSFER_TABLE, name),
      dialect: engine.dialect,
      rows: (sql, signal) => engine.rows(sql, signal),
      close: () => engine.close(),
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** What reading needs of a ledger. */
export type LedgerReader = Pick<Ledger, 'table' | 'rows' | 'close'>

/** Opens a ledger for reading only, also while another process of this machine has opened it. @throws as `openLedger` */
export async function openLedgerReader(url: string, chain: Hex): Promise<LedgerReader> {
  const folder = folderOf(url)
  const reader = folder === null ? null : await findReader(folder)
  if (reader === null) return openLedger(url, chain)
  return { table: duckdbTableOf(PAYMENT_TABLE, nameOf(chain)), rows: reader.rows, async close() {} }
}

/** A chain in the names of its tables. */
function nameOf(chain: Hex): string {
  return chain.slice(2, 18)
}

type OpenedEngine = Pick<Ledger, 'dialect' | 'rows' | 'close'> & {
  open<Row>(definition: TableDefinition<Row>, chain: string): Promise<LedgerTable<Row>>
}

async function openEngine(url: string): Promise<OpenedEngine> {
  const folder = folderOf(url)
  if (folder !== null) {
    const database = await DuckdbDatabase.open(folder)
    return {
      dialect: DUCKDB,
      open: (definition, chain) => openDuckdbTable(database, definition, chain),
      rows: (sql, signal) => database.rows(sql, signal),
      close: () => database.close(),
    }
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new PermanentError('a ledger URL must begin with duckdb:, http:// or https://')
  const servers = await openServers(url)
  return {
    dialect: CLICKHOUSE,
    async open(definition, chain) {
      const secret = await readKeySecret(servers, PAYMENT_TABLE, chain)
      return openClickhouseTable(servers, definition, { chain, secret })
    },
    rows: (sql, signal) => servers.reader.rows(sql, signal),
    close: () => servers.close(),
  }
}
