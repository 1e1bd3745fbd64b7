import assert from 'node:assert/strict'
import { onEveryState } from '../../test/every-state.ts'

onEveryState('a row reads back as it was written', async (state) => {
  const row = { id: '1', username_key: 'ädá', body: '{"a":"\u{1f600}"}', fetched_at: Number.MAX_SAFE_INTEGER }
  await state.db.insertInto('social_user').values(row).execute()
  assert.deepEqual(await state.db.selectFrom('social_user').selectAll().execute(), [row])
})
