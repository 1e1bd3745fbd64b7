import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial } from '@tollbook/testing/social/open-social'
import { openXUpstream, xProvider } from '@tollbook/testing/social/x-upstream'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { readObject } from './x-envelope.ts'

type Recorded = {
  readonly from: string
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: an answer as it was recorded
  readonly body: any
}

const RECORDED = readFileSync(new URL('./golden/recorded.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Recorded => JSON.parse(line))

const upstream = await openXUpstream()
/** Our paths for the recorded ones. */
const OURS: Readonly<Record<string, string>> = {
  '/2/tweets/1293593516040269825': '/tweets/by/id?id=1293593516040269825',
  '/2/users/by/username/Twitter': '/users/by/username?username=Twitter',
  '/2/users/783214/followers': '/users/followers?id=783214',
  '/2/lists/84839422': '/lists/by/id?id=84839422',
  '/2/lists/84839422/followers': '/lists/followers?id=84839422',
  '/2/tweets/1293593516040269825/quote_tweets': '/tweets/quote_tweets?id=1293593516040269825',
  '/2/tweets/1415348607813832708/retweeted_by': '/tweets/retweeted_by?id=1415348607813832708',
  '/2/tweets/search/recent': '/tweets/search?words=Tweepy',
}

onSqliteState('recorded answers of the X API pass through our endpoints with every field', async (state) => {
  let calls = 0
  for (const { path: recordedPath, status, headers, body } of RECORDED) {
    const { pathname } = new URL(recordedPath, 'http://x')
    const ours = OURS[pathname]
    if (ours === undefined) continue
    const { 'content-type': type = '' } = headers
    upstream.answer = ({ path }) =>
      path === pathname ? { status, headers: { 'content-type': type }, body } : {}
    const { ask } = await openSocial(state, xProvider({ url: upstream.url, state }))
    const answered = await ask(ours, { payer: TEST_PAYER })
    assert.equal(answered.status, 200, `${ours}: ${answered.text}`)
    const shown = [answered.body.data].flat().map(({ url: _, ...others }) => others)
    assert.deepEqual(shown, [body.data].flat())
    if (Array.isArray(body.data)) {
      assert.equal(answered.body.meta.result_count, body.meta.result_count)
      assert.equal(answered.body.meta.next_token !== undefined, body.meta.next_token !== undefined)
    }
    calls += 1
  }
  assert.equal(calls, 11)
})

onSqliteState('a recorded next_token leads to the next page', async (state) => {
  const [page] = RECORDED.filter(({ path }) => path === '/2/users/783214/followers')
  upstream.asked.length = 0
  upstream.answer = () => page ?? {}
  const { ask } = await openSocial(state, xProvider({ url: upstream.url, state }))
  const { body } = await ask('/users/followers?id=783214', { payer: TEST_PAYER })
  await ask(`/users/followers?id=783214&next_token=${body.meta.next_token}`, { payer: TEST_PAYER })
  const sent = upstream.asked.map(({ query }) => query.get('pagination_token'))
  assert.deepEqual(sent, [null, '5CS0O0C6II61EZZZ'])
  assert.ok(!body.meta.next_token.includes('5CS0O0C6II61EZZZ'))
})

onSqliteState('reading recorded objects loses no field', async () => {
  let objects = 0
  for (const { path, body } of RECORDED) {
    const isUser = /followers|retweeted_by|liking_users|by\/username|users\/me/.test(path)
    const isList = /\/2\/lists(\/\d+)?$|owned_lists|list_memberships/.test(path)
    const kind = isUser ? 'user' : isList ? 'list' : 'tweet'
    for (const provided of [body.data].flat()) {
      const { url: _, ...read } = readObject(kind, provided)
      assert.deepEqual(read, provided)
      objects += 1
    }
  }
  // 3 tweets, 5 users and 3 Lists; pages of 100, 100, 10, 2, 9, 38, 10, 10, 98, 43, 11, 1 and 86: 11 + 518.
  assert.equal(objects, 529)
})
