import { join } from 'node:path'
import type { Config } from '@tollbook/runtime/config'

/** All processes of `tollbook start` append to it. */
export function logFileOf(config: Config): string {
  return join(config.TOLLBOOK_DATA_DIR, 'tollbook.log')
}
