import { refuseAbsentPg } from './refuse-absent-pg.ts'
import { openSqliteState } from './sqlite/sqlite-state.ts'
import type { State } from './state.ts'

/**
 * Opens the state store; its tables are made by `migrateState`.
 * @param url `sqlite:<path>`, created when absent; `sqlite::memory:`, a temporary file; or `postgres://…`.
 * @throws TypeError for any other URL; ConfigError for PostgreSQL without the package `pg`; the database's own error when it cannot be opened.
 */
export async function openState<Tables>(url: string): Promise<State<Tables>> {
  if (url.startsWith('sqlite:')) return openSqliteState<Tables>(url.slice('sqlite:'.length))
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgresState } = await import('./postgres.ts').catch(refuseAbsentPg)
    return openPostgresState<Tables>(url)
  }
  throw new TypeError('a state URL must begin with sqlite: or postgres://')
}
