import { test } from 'node:test'
import { isExploring } from '@tollbook/testing/property'
import { startPostgres } from '@tollbook/testing/state/postgres'
import { killWrites } from './kill-writes.ts'

// `npm run operations` kills 8 times.
test('the writes of killed sellers are stored exactly once if paid, and otherwise not at all', () =>
  killWrites(2))

if (isExploring)
  test('the writes of killed sellers on PostgreSQL are stored exactly once if paid, and otherwise not at all', async () => {
    const { createDatabase, dropDatabase } = await startPostgres()
    const stateUrl = await createDatabase()
    await killWrites(2, stateUrl)
    await dropDatabase(stateUrl)
  })
