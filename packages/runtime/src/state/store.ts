import { dirname } from 'node:path'
import { ConfigError } from '@tollbook/flow/config-error'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { makeFolder } from '@tollbook/flow/make-folder'
import { migrateState } from '@tollbook/store/migrate'
import type { Migration } from '@tollbook/store/migration'
import { openState } from '@tollbook/store/open'
import type { State } from '@tollbook/store/state'
import type { Config } from '../config.ts'
import { nameState, stateUrlOf } from '../places/state-url.ts'
import type { Shutdown } from '../process/shutdown.ts'

/** A database that has not answered after this long is named on the terminal; it is waited for further. */
const SILENT_MS = 1_000

/** Opens the state with the tables of these migrations; it is closed with all other resources. */
export async function openStore<Tables>(
  config: Config,
  shutdown: Shutdown,
  migrations: readonly Migration[],
): Promise<State<Tables>> {
  const url = stateUrlOf(config)
  if (url.startsWith('sqlite:') && url !== 'sqlite::memory:') makeFolderOf(url, nameSetting(config))
  return withStateUrl(config, async () => {
    const state = await openState<Tables>(url)
    shutdown.onClose(() => state.close())
    await migrateState(state, migrations)
    return state
  })
}

/** The state of a command that ends; the caller closes it. */
export function openCommandState<Tables>(
  config: Config,
  migrations: readonly Migration[],
): Promise<State<Tables>> {
  return withStateUrl(config, async (url) => {
    const state = await openState<Tables>(url)
    await migrateState(state, migrations).catch(async (error: unknown) => {
      await state.close()
      throw error
    })
    return state
  })
}

/** Work that needs the database, which is named with its setting if it does not answer. */
export async function withStateUrl<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  const url = stateUrlOf(config)
  const name = nameSetting(config)
  const waiting = setTimeout(() => {
    process.stderr.write(`waiting for ${nameState(url)} (${name})\n`)
  }, SILENT_MS)
  try {
    return await work(url)
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error
    throw new Error(`${name}: ${nameState(url)} does not answer${reasonOf(error)}`, { cause: error })
  } finally {
    clearTimeout(waiting)
  }
}

function nameSetting(config: Config): string {
  return config.TOLLBOOK_STATE_URL === undefined ? 'TOLLBOOK_DATA_DIR' : 'TOLLBOOK_STATE_URL'
}

function makeFolderOf(url: string, name: string): void {
  try {
    makeFolder(dirname(url.slice('sqlite:'.length)))
  } catch (error) {
    throw new ConfigError([`${name}: ${error instanceof Error ? error.message : error}`])
  }
}

/** The code of the error only: its text may contain the URL. */
function reasonOf({ cause }: DatabaseAway): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  const code = (first as NodeJS.ErrnoException | undefined)?.code
  return code === undefined ? '' : ` (${code})`
}
