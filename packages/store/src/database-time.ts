import { type RawBuilder, sql } from 'kysely'
import type { AnyState } from './state.ts'

/** SQL for a time in epoch milliseconds. */
export type SqlTime = RawBuilder<number>

/** The time of the database's machine, on which processes agree whose own clocks differ. */
export function databaseTime({ kind }: Pick<AnyState, 'kind'>): SqlTime {
  return kind === 'postgres'
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
}

/** The same as a number, once. */
export async function readDatabaseTime(state: AnyState): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select ${databaseTime(state)} as ms`.execute(state.db)
  const [row] = rows
  if (!row) throw new Error('the database returned no time')
  return row.ms
}

/** So many milliseconds after a time. */
export function later(time: SqlTime, ms: number): SqlTime {
  return sql<number>`${time} + cast(${ms} as bigint)`
}
