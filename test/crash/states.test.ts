import { suite } from 'node:test'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { dieInEveryState } from './die-in-every-state.ts'

suite('a seller on SQLite is killed, and another is started', () => dieInEveryState({ processes: 1 }))

suite(
  'of two sellers with one PostgreSQL and one key, one is killed',
  { skip: whyNoPostgres() ?? false },
  () =>
    dieInEveryState({ processes: 2, createDatabase: async () => (await startPostgres()).createDatabase() }),
)
