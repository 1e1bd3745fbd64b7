import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onEveryStateUrl } from '@tollbook/testing/state/every-state'
import { openStateAt } from '@tollbook/testing/state/open-state-at'

const CHILD = new URL('../../testing/src/state/acknowledge-rows.ts', import.meta.url).pathname

/** Starts a process that writes, kills it after so many acknowledged rows, and gives their ids. */
async function writeUntilKilled(url: string, prefix: string, acknowledged: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, url, prefix], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
    if (output.split('\n').length > acknowledged) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  assert.equal(signal, 'SIGKILL')
  // A last line without its end was cut by the kill.
  return output.split('\n').slice(0, -1)
}

onEveryStateUrl(
  'every row acknowledged by two killed processes is there, and no half transaction',
  async (url) => {
    const acknowledged = await Promise.all([writeUntilKilled(url, 'a', 300), writeUntilKilled(url, 'b', 700)])
    const state = await openStateAt(url)
    try {
      const rows = await state.db.selectFrom('social_user').select(['id', 'body']).execute()
      const found = new Set(rows.map((row) => row.id))
      assert.deepEqual(
        acknowledged.flat().filter((id) => !found.has(id)),
        [],
      )
      assert.deepEqual(
        rows.filter((row) => row.body === ''),
        [],
      )
    } finally {
      await state.close()
    }
  },
)
