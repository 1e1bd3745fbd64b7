import { suite } from 'node:test'
import { startPostgres, whyNoPostgres } from '../postgres.ts'
import { dieInEveryState } from './die-in-every-state.ts'

suite('a seller on SQLite is killed, and another is started', () => dieInEveryState({ processes: 1 }))

// What the other one takes over while it lives. All states: test/operations/two-sellers.ts.
suite(
  'of two sellers on one PostgreSQL and with one key, one is killed',
  {
    skip: whyNoPostgres() ?? false,
  },
  () =>
    dieInEveryState({
      processes: 2,
      createDatabase: async () => (await startPostgres()).createDatabase(),
      states: ['reserved', 'settling: a transaction that was not sent', 'streaming by the piece'],
    }),
)
