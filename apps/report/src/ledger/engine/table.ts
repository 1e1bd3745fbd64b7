import type { Hex } from '@tollbook/chain/hex'

/** What an inserted row has in a column, by the ClickHouse type of the column. */
type Values = {
  readonly UInt8: number
  readonly UInt32: number
  readonly UInt64: bigint
  readonly 'FixedString(20)': Hex
  readonly 'FixedString(32)': Hex
}

export type ColumnType = keyof Values

export type Column<Row> = {
  [Type in ColumnType]: { readonly name: string; readonly type: Type; of(row: Row): Values[Type] }
}[ColumnType]

/** The definition of a ledger table, independent of where it is stored. */
export type TableDefinition<Row> = {
  /** Prefix of its name; the rest identifies the chain. */
  readonly name: string
  /** Includes `ts`; each table also has the column `attempt`, a UInt64. */
  readonly columns: readonly Column<Row>[]
  /** Columns that tables of older versions lack; rows written before have the type's zero. */
  readonly added?: readonly string[]
  /** Columns of addresses that queries group by; each has a column `<name>_key` next to it. */
  readonly keyed: readonly string[]
  readonly orderBy: readonly string[]
}

/** Rows of one kind. They belong to the attempt that wrote them; readers know which attempts count. */
export type LedgerTable<Row> = {
  /** Name or subquery of the table for queries; it reads every shard. */
  readonly table: string
  /** Writes rows under an attempt; returns when they are on disk. @throws RangeError beyond a UInt64 */
  insert(attempt: number, rows: readonly Row[], signal: AbortSignal): Promise<void>
  /** Copies the rows of some attempts into a new one; returns when they are on disk. */
  merge(attempt: number, from: readonly number[], signal: AbortSignal): Promise<void>
  /** Deletes the rows of attempts that are no longer read; a server does it asynchronously. */
  remove(attempts: readonly number[], signal: AbortSignal): Promise<void>
  /** Deletes all rows of a week at once. @param week number of seven-day periods since 1970-01-01 */
  removeWeek(week: number, signal: AbortSignal): Promise<void>
}

/** Length of a partition, seconds. */
export const PARTITION_SECONDS = 604_800
/** Rows written at once. As TSV about 25 MB. */
export const ROWS_PER_INSERT = 100_000

/** 18 trillion dollars, in micro-USDC. */
const MAX_AMOUNT = 2n ** 64n - 1n

/** An amount as the tables store it. @throws RangeError above a UInt64. */
export function checkAmount(amount: bigint): bigint {
  if (amount > MAX_AMOUNT) throw new RangeError(`amount out of range: ${amount} micro-USDC`)
  return amount
}
