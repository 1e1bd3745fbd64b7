import { openPostgresState } from './postgres.ts'
import { openSqliteState } from './sqlite/sqlite-state.ts'
import type { State } from './state.ts'

/**
 * Opens the state store; its tables are made by `migrateState`.
 * @param url `sqlite:<path>` (a file, made when absent), `sqlite::memory:` (a file in the system's
 *   temporary folder, deleted at the close), or `postgres://…`.
 * @throws TypeError for any other URL; the database's own error when it cannot be opened.
 * @example
 * const state = await openState('sqlite:./data/state.sqlite')
 */
export async function openState(url: string): Promise<State> {
  if (url.startsWith('sqlite:')) return openSqliteState(url.slice('sqlite:'.length))
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresState(url)
  throw new TypeError('a state URL must begin with sqlite: or postgres://')
}
