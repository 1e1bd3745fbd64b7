import { toEarlier } from '@tollbook/verify/build/window'
import type { Wallets } from '@tollbook/verify/published/group-key'
import { toAddressSet } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

/** A ledger as if each union were one wallet, its first, with the payments to unions only. */
export function uniteWallets(
  ledger: Ledger,
  unions: readonly Wallets[],
  selection: Pick<Selection, 'coverage' | 'window' | 'method'>,
): Ledger {
  const wallets = unions.flat()
  const first = new Map(unions.flatMap((union) => union.map((wallet) => [wallet, union[0]] as const)))
  // The keys of a table are unknown here, so the hex digits are the key.
  const toUnited = (column: string) => ledger.dialect.replacedHex(column, first)
  const toBytes = (key: string) => `toFixedString(unhex(${key}), 20)`
  const { end } = selection.window
  const { start } = toEarlier(selection.window) ?? selection.window
  const unite = (table: string, from: string, to: string, others: string) =>
    `(SELECT block, log_index, ts, tx, amount, attempt${others}, giver AS ${from}_key, taker AS ${to}_key,
        ${toBytes('giver')} AS ${from}, ${toBytes('taker')} AS ${to}
      FROM (SELECT block, log_index, ts, tx, amount, attempt${others}, ${toUnited(from)} AS giver, ${toUnited(to)} AS taker
        FROM ${table} WHERE ts >= ${start} AND ts < ${end}))`
  return {
    ...ledger,
    // No alias equals a column of the same query, so ClickHouse cannot confuse them.
    table: `(SELECT block, log_index, ts, tx, amount, fee, facilitator, evidence, attempt, buyer, hex(buyer) AS buyer_key,
        united AS merchant_key, ${toBytes('united')} AS merchant
      FROM (SELECT block, log_index, ts, tx, amount, fee, facilitator, evidence, attempt, buyer, ${toUnited('merchant')} AS united
        FROM ${ledger.table}
        WHERE ${whereVisible({ ...selection, window: { start, end } })} AND merchant IN ${toAddressSet(wallets)}))`,
    escrowed: unite(ledger.escrowed, 'buyer', 'merchant', ', evidence'),
    transfers: {
      ...ledger.transfers,
      table: unite(ledger.transfers.table, 'sender', 'recipient', ''),
    },
  }
}
