import type { Address } from '@tollbook/chain/hex'

/**
 * What ClickHouse and DuckDB write differently. Statements of the ledger have one text, in the SQL of ClickHouse;
 * DuckDB defines the functions that it lacks as macros. Only what a macro cannot express is here, as SQL.
 */
export interface Dialect {
  /** The operator of membership in a subquery that all servers of a cluster must see whole. */
  readonly isIn: 'GLOBAL IN' | 'IN'
  /** The operator of a join whose right side has at most one row for each of the left; read absent ones by coalesce. */
  readonly leftJoin: 'ANY LEFT JOIN' | 'LEFT JOIN'
  /** An aggregate: the value of any row, where all rows of a group have the same. */
  anyOf(column: string): string
  /** The amount listed for the wallet in the column `merchant`; `otherwise` for every other wallet. */
  amountOfMerchant(amounts: ReadonlyMap<Address, bigint>, otherwise: bigint): string
  /** Upper-case hex digits of the wallet in a column; of the one that replaces it, if listed. */
  replacedHex(column: string, replacements: ReadonlyMap<Address, Address>): string
  /**
   * An aggregate: the smallest amounts at or below which these shares of the rows lie that meet a condition, as
   * `percentile_disc` of the SQL standard, so always amounts that exist; zeros if there are none. An array if several.
   */
  atShares(shares: readonly number[], column: string, condition: string): string
  /**
   * Three aggregates, each an array: the distinct amounts of the rows that meet a condition, ascending; how many rows have
   * each; how many of those meet another condition, too.
   */
  countsByAmount(column: string, condition: string, isReal: string): string
}
