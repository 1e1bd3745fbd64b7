import type { Hex } from '../../chain/hex.ts'
import { ESCROW_EVIDENCE, type Payment } from '../chain/payment.ts'
import type { Transfer } from '../chain/transfer.ts'
import { PAYMENT_TABLE } from './payment-table.ts'
import { openServers } from './servers.ts'
import { type LedgerTable, openTable, readKeySecret } from './table.ts'
import { TRANSFER_TABLE } from './transfers/transfer-table.ts'

/** Payments of one chain, append-only; coverage decides which attempts' rows are visible, exactly once. */
export type Ledger = LedgerTable<Payment> & {
  /** A subquery, used like a table: the payments out of escrows, with their keys. */
  readonly escrowed: string
  /** Transfers out of merchants and into buyers, stored like payments. */
  readonly transfers: LedgerTable<Transfer>
  /** Rows of a query as strings; numbers and hex only. */
  rows(sql: string, signal: AbortSignal): Promise<readonly (readonly string[])[]>
  close(): Promise<void>
}

/**
 * Opens the ledger of a chain, and makes its tables where there are none.
 * @param url as for `openServers`
 * @param chain hash of the genesis block, so that a new chain never meets the payments of an old one.
 * @throws as `openServers`
 */
export async function openLedger(url: string, chain: Hex): Promise<Ledger> {
  const servers = await openServers(url)
  try {
    const name = chain.slice(2, 18)
    const secret = await readKeySecret(servers, PAYMENT_TABLE, name)
    const payments = await openTable(servers, PAYMENT_TABLE, { chain: name, secret })
    const transfers = await openTable(servers, TRANSFER_TABLE, { chain: name, secret })
    return {
      ...payments,
      escrowed: `(SELECT block, log_index, ts, tx, buyer, merchant, amount, evidence, attempt, buyer_key, merchant_key
        FROM ${payments.table} WHERE bitAnd(evidence, ${ESCROW_EVIDENCE}) != 0)`,
      transfers,
      rows: (sql, signal) => servers.reader.rows(sql, signal),
      close: () => servers.close(),
    }
  } catch (error) {
    await servers.close()
    throw error
  }
}
