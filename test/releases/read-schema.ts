import type { State } from '@tollbook/cli/commands/state/state'
import { sql } from 'kysely'

/** Per table: its columns in order, indexes, constraints and foreign keys, each as a line of text. */
export type Schema = Readonly<Record<string, readonly string[]>>

/** What a database has of tables; two databases with the same result take and give the same rows. */
export async function readSchema(state: State): Promise<Schema> {
  const query = state.kind === 'sqlite' ? SQLITE : POSTGRES
  const { rows } = await sql.raw<{ owner: string; line: string }>(query).execute(state.db)
  const tables = Map.groupBy(rows, ({ owner }) => owner)
  return Object.fromEntries(
    [...tables].map(([name, lines]) => [name, lines.map(({ line }) => line.replace(/\s+/g, ' '))]),
  )
}

/** The text of an index has its condition, that of a virtual table its options; names may be quoted in them. */
const SQLITE = `
  with owned as (select name, type from pragma_table_list where schema = 'main' and name not glob 'sqlite_*')
  select owner, line from (
    select owned.name as owner, 1 as part, cid as place,
      format('%s %s notnull=%s default=%s key=%s', c.name, c.type, "notnull", dflt_value, pk) as line
      from owned, pragma_table_xinfo(owned.name) as c
    union all select owned.name, 2, i.name,
      format('index unique=%s %s partial=%s', "unique", origin, partial) ||
      (select group_concat(format(' %s desc=%s %s', x.name, x."desc", x.coll), '')
        from pragma_index_xinfo(i.name) as x)
      from owned, pragma_index_list(owned.name) as i
    union all select tbl_name, 3, name, replace(lower(sql), '"', '')
      from sqlite_schema where sql is not null and (type = 'index' or sql like 'create virtual%')
    union all select owned.name, 4, f.id, format('%s references %s %s %s', "from", "table", "to", on_delete)
      from owned, pragma_foreign_key_list(owned.name) as f
  ) order by owner, part, place`

const POSTGRES = `
  with owned as (
    select c.oid, relname as name, reloptions from pg_class as c join pg_namespace as n on n.oid = relnamespace
    where nspname = 'public' and relkind in ('r', 'S'))
  select owner, line from (
    select name as owner, 1 as part, lpad(attnum::text, 5, '0') as place,
      concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
        pg_get_expr(adbin, adrelid)) as line
      from owned join pg_attribute on attrelid = owned.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all select name, 2, indexrelid::regclass::text,
      concat_ws(' ', pg_get_indexdef(indexrelid), i.reloptions)
      from owned join pg_index on indrelid = owned.oid join pg_class as i on i.oid = indexrelid
    union all select name, 3, conname, conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
      from owned join pg_constraint on conrelid = owned.oid
    union all select name, 4, '', coalesce(reloptions::text, '') from owned
  ) as parts order by owner, part, place`
