import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { findMissingMigrations } from '../../state/migrate.ts'
import { openState } from '../../state/open.ts'
import { stateUrlOf } from '../setup/state-url.ts'
import type { Finding } from './finding.ts'

export async function checkState(config: Config): Promise<readonly Finding[]> {
  const url = stateUrlOf(config)
  const isSqlite = url.startsWith('sqlite:')
  const where = isSqlite ? url : `PostgreSQL at ${new URL(url).host || 'a socket'}`
  if (isSqlite && !existsSync(url.slice('sqlite:'.length)))
    return [
      { verdict: 'note', name: 'state', text: `${where} does not exist yet; the first start creates it` },
    ]
  const state = await openState(url)
  try {
    const missing = await findMissingMigrations(state)
    if (missing.length === 0) return [{ verdict: 'ok', name: 'state', text: `${where}, tables up to date` }]
    const text = `${where}; the next start, or tollbook migrate, applies ${missing.join(', ')}`
    return [{ verdict: 'note', name: 'state', text }]
  } finally {
    await state.close()
  }
}
