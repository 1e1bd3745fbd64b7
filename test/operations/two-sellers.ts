import { suite } from 'node:test'
import { dieInEveryState } from '../crash/die-in-every-state.ts'
import { startPostgres, whyNoPostgres } from '../postgres.ts'

suite(
  'of two sellers on one PostgreSQL and with one key, one is killed in every state of a call',
  {
    skip: whyNoPostgres() ?? false,
  },
  () =>
    dieInEveryState({ processes: 2, createDatabase: async () => (await startPostgres()).createDatabase() }),
)
