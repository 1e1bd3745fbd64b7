import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { importPlace, withFile } from '@tollbook/testing/social/import-social'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../state/state.ts'

/** Several batches of 2,000 objects, and a rest. */
const TWEETS = 13_000
const CHILD = new URL('../../../../packages/testing/src/social/import-forever.ts', import.meta.url)

test('a killed import resumes without missing or duplicate objects', async () => {
  const lines = Array.from({ length: TWEETS }, (_, at) =>
    JSON.stringify({ id: String(at + 1), text: `number ${at}` }),
  )
  const state = await openTestState()
  try {
    await withFile(lines.join('\n'), async (path) => {
      const child = fork(CHILD, [state.file ?? '', path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      const exit = once(child, 'exit')
      await killOncePiecesAreStored(state, child, exit)
      const before = await readPlace(state)
      assert.ok(before && before.finished_at === null && before.items < TWEETS, JSON.stringify(before))
      // Every completed batch is stored whole, and nothing of the interrupted one.
      assert.equal(await countTweets(state), before.items)
      const { counts } = await importPlace(state, path)
      assert.equal(counts.tweets, TWEETS)
      assert.equal(await countTweets(state), TWEETS)
      // It resumed with the time of its first start.
      assert.equal((await readPlace(state))?.started_at, before.started_at)
    })
  } finally {
    await state.close()
  }
})

async function killOncePiecesAreStored(
  state: State,
  child: ChildProcess,
  exit: Promise<unknown>,
): Promise<void> {
  while ((await readPlace(state)) === undefined && child.exitCode === null) await pause(5)
  child.kill('SIGKILL')
  await exit
}

function readPlace(state: State) {
  return state.db.selectFrom('social_import').selectAll().executeTakeFirst()
}

async function countTweets(state: State): Promise<number> {
  const row = await state.db
    .selectFrom('social_tweet')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}
