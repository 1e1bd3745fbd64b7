import { test } from 'node:test'
import { isExploring } from '@tollbook/testing/property'
import { startPostgres } from '@tollbook/testing/state/postgres'
import { killChannels } from './kill-channels.ts'

// `npm run crash -- --channels` kills 200 times.
test('a channel of killed sellers is charged once for each answer, and all is paid out', () =>
  killChannels(1))

if (isExploring)
  test('a channel of two sellers killed in turn on PostgreSQL is charged once for each answer, and all is paid out', async () => {
    const { createDatabase, dropDatabase } = await startPostgres()
    const stateUrl = await createDatabase()
    await killChannels(4, { stateUrl, processes: 2 })
    await dropDatabase(stateUrl)
  })
