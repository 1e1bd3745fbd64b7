import pg from 'pg'

/** Runs one statement on the server's own database and returns its rows. */
export type Administer = (
  statement: string,
  parameters?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>

/**
 * Databases that tests are done with, of every file of a run: emptying one takes a twentieth of copying the
 * template, which costs two checkpoints.
 */
export async function createSpares(administer: Administer): Promise<void> {
  await administer('create table spare_state (name text primary key)')
}

/** Takes the name of an empty database, if one is free. */
export async function takeSpare(administer: Administer): Promise<string | undefined> {
  const [row] = await administer(
    `delete from spare_state where name = (select name from spare_state limit 1 for update skip locked)
     returning name`,
  )
  return row && String(row.name)
}

/** Ends the connections of a database, deletes its rows and makes it free. @param url of that database. */
export async function keepSpare(administer: Administer, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await administer('select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1', [name])
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(EMPTY)
  } finally {
    await client.end()
  }
  await administer('insert into spare_state values ($1)', [name])
}

/** Foreign keys are not checked as a replica; the migrations that are applied stay so. */
const EMPTY = `do $$
declare one record;
begin
  set local session_replication_role = replica;
  for one in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migration' loop
    execute format('delete from %I', one.tablename);
  end loop;
  for one in select sequencename from pg_sequences where schemaname = 'public' loop
    execute format('alter sequence %I restart', one.sequencename);
  end loop;
end $$`
