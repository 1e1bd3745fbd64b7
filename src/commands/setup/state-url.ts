import { join } from 'node:path'
import type { Config } from '../../config.ts'

/** The URL of the state. */
export function stateUrlOf(config: Config): string {
  return config.TOLLBOOK_STATE_URL ?? `sqlite:${join(config.TOLLBOOK_DATA_DIR, 'state.sqlite')}`
}
