import assert from 'node:assert/strict'
import { onEveryStateUrl } from '@tollbook/testing/state/every-state'
import pg from 'pg'
import { takeLead } from './lead.ts'

onEveryStateUrl('of several processes one leads, and another takes over when it ends', async (url) => {
  const { signal } = new AbortController()
  const first = await takeLead(url, 'indexer', { signal, onStandby: assert.fail })
  // A SQLite file belongs to one process: nobody is kept waiting.
  if (url.startsWith('sqlite:')) return first.close()

  const stop = new AbortController()
  const stopped = takeLead(url, 'indexer', { signal: stop.signal, onStandby: () => stop.abort() })
  await assert.rejects(stopped, { name: 'AbortError' })

  const waiting = Promise.withResolvers<void>()
  const second = takeLead(url, 'indexer', { signal, onStandby: waiting.resolve })
  await waiting.promise
  await first.close()
  await first.lost
  const { lost, close } = await second

  // As when the server restarts, or when the connection of the leader is cut.
  const operator = new pg.Client({ connectionString: url })
  await operator.connect()
  await operator.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  )
  await lost
  const third = await takeLead(url, 'indexer', { signal, onStandby: () => {} })
  await Promise.all([close(), third.close(), operator.end()])
})
