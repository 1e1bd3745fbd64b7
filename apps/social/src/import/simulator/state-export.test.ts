import assert from 'node:assert/strict'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { importPlace } from '@tollbook/testing/social/import-social'
import { openSocial } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import STATE from './golden/state-export.json' with { type: 'json' }

const FILE = new URL('./golden/state-export.json', import.meta.url).pathname

onEveryState(
  'the endpoints return the imported state of the simulator, and importing twice is idempotent',
  async (state) => {
    const first = await importPlace(state, FILE)
    // 6 follow, 6 repost, 6 are members of lists and 4 follow them; the other kinds are private.
    assert.deepEqual(first.counts, {
      users: 10,
      tweets: 18,
      media: 2,
      lists: 2,
      communities: 2,
      articles: 0,
      relations: 22,
      skipped: 0,
    })
    const again = await importPlace(state, FILE)
    assert.deepEqual(again.counts, first.counts)
    assert.deepEqual(again.doneBefore, new Date('2026-11-22T00:00:00.000Z'))
    const { ask } = await openSocial(state)
    const answers = async (path: string) => (await ask(path, { payer: TEST_PAYER })).body
    const { data } = await answers('/tweets/by/id?id=1')
    assert.equal(data.text, STATE.tweets['1'].text)
    // The export has nanoseconds.
    assert.equal(data.created_at, '2026-08-21T01:21:02.806Z')
    assert.deepEqual(data.referenced_tweets, [{ type: 'replied_to', id: '0' }])
    assert.equal(data.author.username, 'playground_user')
    const members = STATE.relationships.filter(
      ({ type, target_list_id }) => type === 'list_member' && target_list_id === '0',
    )
    const page = await answers('/lists/members?id=0')
    assert.deepEqual(
      page.data.map(({ id }: { id: string }) => id),
      members.map(({ user_id }) => user_id),
    )
    const kinds = await state.db
      .selectFrom('social_relation')
      .select('kind')
      .distinct()
      .orderBy('kind')
      .execute()
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['follow', 'list_follower', 'list_member', 'repost'],
    )
  },
)
