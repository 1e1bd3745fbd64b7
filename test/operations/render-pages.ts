import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectCdp } from '@tollbook/utility/browser/cdp-connection'
import { startRenderingWorld } from '../browser/rendering-world.ts'

const world = await startRenderingWorld()
const skip = typeof world === 'string' ? world : false
after(async () => {
  if (typeof world !== 'string') await world.close()
})
/** Tests that need it are skipped without it. */
const open = () => (typeof world === 'string' ? assert.fail(world) : world)

test('a browser is found by its debugging port, too', { skip }, async () => {
  const { ask, chromium } = open()
  const { url, release } = await chromium.take(new AbortController().signal)
  assert.equal((await ask('/app', { url: `http://${new URL(url).host}` })).rendered, true)
  release(true)
})

test('a page of few words is rendered if that is required, or if rendering finds more words', {
  skip,
}, async () => {
  const { ask } = open()
  const few = await ask('/static')
  assert.deepEqual([few.rendered, few.title, few.markdown], [false, 'Few words', 'Closed today.\n'])
  const forced = await ask('/static', { render: 'always' })
  assert.deepEqual([forced.rendered, forced.title], [true, 'ran'])
})

test('a page that leads on by script is followed, and never to a private network or a file', {
  skip,
}, async () => {
  const { ask, canary, origin } = open()
  const { final_url, rendered } = await ask('/leads-on')
  assert.deepEqual([final_url, rendered], [`${origin}/article`, true])
  for (const path of ['/leads-away', '/leads-to-file']) {
    const limits = { settleMs: 1_000 }
    await assert.rejects(ask(path, { limits }), { message: 'cannot_be_served: The page has no content.' })
  }
  assert.deepEqual(canary.reached, [])
})

test('a page that never ends is abandoned, and its process with it', { skip }, async () => {
  const { ask } = open()
  await assert.rejects(ask('/loop', { render: 'always', deadlineMs: 1_500 }), {
    message: 'upstream_timeout: The page takes too long to render.',
  })
  assert.equal((await ask('/app')).rendered, true)
})

test('a page that sends requests without end is rejected, and few of its requests are sent', {
  skip,
}, async () => {
  const { ask, asked } = open()
  const limits = { maxRequests: 200, maxFetched: 20 }
  await assert.rejects(ask('/many', { render: 'always', limits }), {
    message: 'cannot_be_served: The page cannot be rendered: it makes more than 200 requests.',
  })
  assert.ok(asked.filter((path) => path === '/one').length <= 20)
})

test('the same page gets out where there are no walls', { skip }, async () => {
  const { canary, chromium, origin } = open()
  const { url, release } = await chromium.take(new AbortController().signal)
  const connection = await connectCdp(url, { timeoutMs: 30_000, onEvent() {}, onGone() {} })
  const context = await connection.send<object>('Target.createBrowserContext', { proxyServer: 'direct://' })
  await connection.send('Target.createTarget', { ...context, url: `${origin}/hostile` })
  const deadline = AbortSignal.timeout(30_000)
  const ways = ['/fetch', '/socket', '/iframe', '/xhr', '/img']
  while (!ways.every((way) => canary.reached.includes(way))) await wait(20, null, { signal: deadline })
  connection.close()
  release(false)
})
