import assert from 'node:assert/strict'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { blueskyProvider, recorded, replay } from '@tollbook/testing/social/bluesky-upstream'
import { openSocial, testWorkers } from '@tollbook/testing/social/open-social'
import { openXUpstream } from '@tollbook/testing/social/x-upstream'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { createReadThrough } from '../read-through/read-through.ts'
import { createStoreProvider } from '../store/store-provider.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the answer it asked for
type Body = any

const upstream = await openXUpstream()

onEveryState("the store returns Bluesky's answers unchanged", async (state) => {
  const { posts } = recorded('app.bsky.feed.getPosts', 'fetches posts')
  const store = createStoreProvider({ state, workers: testWorkers() })
  const bluesky = blueskyProvider({ state, url: upstream.url })
  const times = { now: () => TEST_TIME, objectMs: 86_400_000, pageMs: 300_000 }
  const service = await openSocial(state, createReadThrough({ state, store, upstream: bluesky, ...times }))
  const ask = (path: string) => service.ask(path, { payer: TEST_PAYER })
  upstream.asked.length = 0
  upstream.answer = replay({ 'app.bsky.feed.searchPosts': { posts: posts.slice(0, 4) } })
  const page = await ask('/tweets/search?from=carol.test')
  assert.equal(page.body.data.length, 4)
  const ids = page.body.data.map(({ id }: Body) => id)
  upstream.answer = () => ({ status: 500 })
  const again = await ask('/tweets/search?from=carol.test')
  const many = await ask(`/tweets?ids=${ids.join(',')}`)
  assert.deepEqual([again.body.data, many.body.data], [page.body.data, page.body.data])
  const { username } = page.body.data[0].author
  const user = await ask(`/users/by/username?username=${username}`)
  assert.deepEqual(user.body.data, page.body.data[0].author)
  assert.equal((await ask('/tweets/search?words=other')).status, 502)
})
