import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findChromium } from './chromium.ts'
import { PARAGRAPH, startRenderingWorld } from './rendering-world.ts'

const executable = findChromium()
const skip = executable === null ? 'no Chromium on this machine; apt-get install chromium' : false
const world = executable === null ? Promise.reject(new Error('no Chromium')) : startRenderingWorld(executable)
world.catch(() => {})
after(async () => {
  if (executable !== null) await (await world).close()
})

test('a page that its scripts write is rendered, with all that they load', { skip }, async () => {
  const { ask, origin } = await world
  const answer = await ask('/app')
  assert.equal(answer.rendered, true)
  assert.equal(answer.markdown, `# Two tides a day\n\n${PARAGRAPH}\n\n![Sea](${origin}/sea.png)\n`)
})

test('a page is used as fetched where rendering is not requested', { skip }, async () => {
  const { ask } = await world
  const bare = await ask('/app', { render: 'never' })
  assert.deepEqual([bare.rendered, bare.word_count], [false, 0])
})

test('a page without scripts and one with content are never brought to the browser', { skip }, async () => {
  const { ask } = await world
  const url = 'ws://127.0.0.1:1/'
  assert.equal((await ask('/data', { url })).rendered, false)
  assert.equal((await ask('/article', { url })).rendered, false)
})

test('without a browser that answers, a page is used as fetched unless rendering is required', {
  skip,
}, async () => {
  const { ask } = await world
  const url = 'ws://127.0.0.1:1/devtools/browser/gone'
  assert.equal((await ask('/app', { url })).rendered, false)
  await assert.rejects(ask('/app', { url, render: 'always' }), {
    message: 'upstream_failed: The page cannot be rendered: the browser cannot be reached.',
  })
})

test('no way out of a page, also one that was led to from another site, leads to a private network', {
  skip,
}, async () => {
  const { ask, canary, otherOrigin } = await world
  const { title, rendered } = await ask(`${otherOrigin}/hop`, { render: 'always' })
  assert.deepEqual([title, rendered], ['tried 35 of 35', true])
  assert.deepEqual([canary.reached, canary.connections()], [[], 0])
})
