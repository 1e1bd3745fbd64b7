import { join } from 'node:path'
import { listPostgresUrls } from '@tollbook/store/postgres-urls'
import type { Config } from '../config.ts'

export function stateUrlOf(config: Config): string {
  return config.TOLLBOOK_STATE_URL ?? `sqlite:${join(config.TOLLBOOK_DATA_DIR, 'state.sqlite')}`
}

/** The state store for a person; never its user and password. */
export function nameState(url: string): string {
  if (url.startsWith('sqlite:')) return url
  const hosts = listPostgresUrls(url).map((one) => URL.parse(one)?.host || 'a socket')
  return `PostgreSQL at ${hosts.join(', ')}`
}
