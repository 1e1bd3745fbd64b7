import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** The `service` of rows that a facilitator settles for other sellers; all other rows are calls sold here. */
export const FACILITATOR = 'facilitator'
/** Which rows a process works on: those of its sales, or those of its facilitator service. */
export type RowKind = 'sales' | 'settlements'

export function isOfKind(kind: RowKind): RawBuilder<SqlBool> {
  return kind === 'sales'
    ? sql<SqlBool>`service <> ${sql.lit(FACILITATOR)}`
    : sql<SqlBool>`service = ${sql.lit(FACILITATOR)}`
}
