import type { State } from '@tollbook/cli/commands/state/state'

/** Tables of the ledger itself, and rows that only guard others. */
const NOT_VISIBLE = /^(paid_call|call_effect|payment_\w+|migration|social_image_guard|sqlite_\w+)$/

/** Everything in the state that a reader of any service could see, as text. */
export async function readVisible(state: State): Promise<string> {
  // The names of tables come from the database itself.
  const db = state.db as never as {
    selectFrom(table: string): { selectAll(): { execute(): Promise<readonly Record<string, unknown>[]> } }
  }
  const names = (await state.db.introspection.getTables()).map(({ name }) => name)
  const tables = names.filter((name) => !NOT_VISIBLE.test(name)).toSorted()
  const read = tables.map(async (name) => {
    const rows = await db.selectFrom(name).selectAll().execute()
    const kept = rows.filter((row) => name !== 'wallet' || row.bytes_used !== 0 || row.pad_bytes !== 0)
    return [name, kept.map((row) => JSON.stringify(row)).toSorted()]
  })
  return JSON.stringify(await Promise.all(read))
}
