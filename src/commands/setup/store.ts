import { dirname } from 'node:path'
import { type Config, ConfigError } from '../../config.ts'
import { DatabaseAway } from '../../flow/database-away.ts'
import { makeFolder } from '../../flow/make-folder.ts'
import { migrateState } from '../../state/migrate.ts'
import { openState } from '../../state/open.ts'
import type { State } from '../../state/state.ts'
import type { Shutdown } from './shutdown.ts'
import { nameState, stateUrlOf } from './state-url.ts'

/** A database that has not answered after this long is named on the terminal; it is waited for further. */
const SILENT_MS = 1_000

/** Opens the state with all its tables; it is closed with all other resources. */
export async function openStore(config: Config, shutdown: Shutdown): Promise<State> {
  const url = stateUrlOf(config)
  const name = config.TOLLBOOK_STATE_URL === undefined ? 'TOLLBOOK_DATA_DIR' : 'TOLLBOOK_STATE_URL'
  if (url.startsWith('sqlite:') && url !== 'sqlite::memory:') makeFolderOf(url, name)
  const waiting = setTimeout(() => {
    process.stderr.write(`waiting for ${nameState(url)} (${name})\n`)
  }, SILENT_MS)
  try {
    const state = await openState(url)
    shutdown.onClose(() => state.close())
    await migrateState(state)
    return state
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error
    throw new Error(`${name}: ${nameState(url)} does not answer${reasonOf(error)}`, { cause: error })
  } finally {
    clearTimeout(waiting)
  }
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
