import { join } from 'node:path'
import type { Config } from '../../config.ts'

export function stateUrlOf(config: Config): string {
  return config.TOLLBOOK_STATE_URL ?? `sqlite:${join(config.TOLLBOOK_DATA_DIR, 'state.sqlite')}`
}
