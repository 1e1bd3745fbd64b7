import { test } from 'node:test'
import { startPostgres } from '@tollbook/testing/state/postgres'
import { killWrites } from '../crash/kill-writes.ts'

const KILLS = 8

test('the writes of killed sellers are stored exactly once if paid', () => killWrites(KILLS))

test('the writes of killed sellers on PostgreSQL are stored exactly once if paid', async () => {
  const { createDatabase, dropDatabase } = await startPostgres()
  const stateUrl = await createDatabase()
  await killWrites(KILLS, stateUrl)
  await dropDatabase(stateUrl)
})
