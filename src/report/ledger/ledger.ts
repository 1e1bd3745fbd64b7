import { randomBytes } from 'node:crypto'
import { PermanentError } from '../../fetching/failure.ts'
import type { Hex, Payment } from '../chain/payment.ts'
import { openChdbEngine } from './chdb-engine.ts'
import type { Engine } from './engine.ts'
import { PAYMENT_COLUMNS, toPaymentTsv } from './payment-tsv.ts'
import { openServerEngine } from './server-engine.ts'

/**
 * Payments of one chain, append-only. Rows belong to the attempt that wrote them; which attempts count is
 * known to the coverage alone, so a row is seen whole and once, or not at all.
 */
export type Ledger = {
  /** Name of the payment table of this chain, for queries. */
  readonly table: string
  /** Writes payments under an attempt; returns when they are on disk. */
  insert(attempt: number, payments: readonly Payment[], signal: AbortSignal): Promise<void>
  /** Copies the rows of some attempts into a new one; returns when they are on disk. */
  merge(attempt: number, from: readonly number[], signal: AbortSignal): Promise<void>
  /** Deletes the rows of attempts that nobody reads any more. */
  remove(attempts: readonly number[], signal: AbortSignal): Promise<void>
  /** Rows of a query as texts; numbers and hex only. */
  rows(sql: string, signal: AbortSignal): Promise<readonly (readonly string[])[]>
  close(): Promise<void>
}

/** About 25 MB of TSV at once. */
const ROWS_PER_INSERT = 100_000
/** The first version whose tables can be told to fsync: ClickHouse 20.10. */
const FIRST_FSYNC_VERSION = 20.1

/**
 * Opens the ledger of a chain, and makes its table when there is none.
 * @param url `chdb:<folder>`: ClickHouse inside this process; `http(s)://…`: ClickHouse servers.
 * @param chain hash of the genesis block, so that a new chain never meets the payments of an old one.
 * @throws PermanentError for any other URL, and when chDB is asked for but not installed.
 * @example
 * const ledger = await openLedger('chdb:./data/ledger', genesisHash)
 */
export async function openLedger(url: string, chain: Hex): Promise<Ledger> {
  const engine = await openEngine(url)
  const table = `payment_${chain.slice(2, 18)}`
  await engine.command(createTable(table, engine.version))
  return {
    table,
    async insert(attempt, payments, signal) {
      // Writing the next rows as TSV while the engine takes the last ones keeps both cores at work.
      let last = Promise.resolve()
      for (let at = 0; at < payments.length; at += ROWS_PER_INSERT) {
        const tsv = toPaymentTsv(payments.slice(at, at + ROWS_PER_INSERT), attempt)
        await last
        last = engine.insert({ table, columns: PAYMENT_COLUMNS, tsv }, signal)
        // Whatever fails is thrown by the next await; until then it is not unhandled.
        last.catch(() => {})
      }
      await last
    },
    async merge(attempt, from, signal) {
      const columns = PAYMENT_COLUMNS.filter((column) => column !== 'attempt').join(', ')
      await engine.command(
        `INSERT INTO ${table} (${columns}, attempt) SELECT ${columns}, toUInt64(${attempt}) FROM ${table} ` +
          `WHERE attempt IN (${from.join(', ')})`,
        signal,
      )
    },
    async remove(attempts, signal) {
      if (attempts.length === 0) return
      await engine.command(`ALTER TABLE ${table} DELETE WHERE attempt IN (${attempts.join(', ')})`, signal)
    },
    rows: (sql, signal) => engine.rows(sql, signal),
    close: () => engine.close(),
  }
}

async function openEngine(url: string): Promise<Engine> {
  if (url.startsWith('chdb:')) return openChdbEngine(url.slice('chdb:'.length))
  if (/^https?:\/\//.test(url)) return openServerEngine(url)
  throw new PermanentError('a ledger URL begins with chdb:, http:// or https://')
}

/**
 * Queries group by 8-byte keys, four times as fast as by 20-byte addresses. The keys are a hash of the address
 * behind a secret that only this table's definition holds, so nobody can look for two wallets with one key;
 * by chance, ten million wallets share one with a probability of 3 in a million.
 */
function createTable(table: string, version: string): string {
  const secret = randomBytes(16).toString('hex')
  const key = (column: string) => `MATERIALIZED sipHash64(concat('${secret}', ${column}))`
  const settings = Number.parseFloat(version) >= FIRST_FSYNC_VERSION ? ' SETTINGS fsync_after_insert = 1' : ''
  return `
    CREATE TABLE IF NOT EXISTS ${table} (
      block UInt32,
      log_index UInt32,
      ts UInt32,
      tx FixedString(32),
      buyer FixedString(20),
      merchant FixedString(20),
      amount UInt64,
      facilitator FixedString(20),
      evidence UInt8,
      attempt UInt64,
      buyer_key UInt64 ${key('buyer')},
      merchant_key UInt64 ${key('merchant')}
    ) ENGINE = MergeTree PARTITION BY intDiv(ts, 604800) ORDER BY (merchant, block, log_index)${settings}`
}
