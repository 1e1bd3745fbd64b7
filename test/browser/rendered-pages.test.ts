import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { browsersOf, processesOf } from '@tollbook/testing/browser/browser-processes'
import sharp from 'sharp'
import { PARAGRAPH, startRenderingWorld } from './rendering-world.ts'

const world = await startRenderingWorld()
const skip = typeof world === 'string' ? world : false
after(async () => {
  if (typeof world !== 'string') await world.close()
})
/** However long a hostile page keeps the machine busy. */
const PATIENTLY = { render: 'always', limits: { settleMs: 600_000 }, more: { wait_for: 'h1' } } as const
const EMPTY = 'cannot_be_served: The page has no content.'
/** Tests that need it are skipped without it. */
const open = () => (typeof world === 'string' ? assert.fail(world) : world)

test('a page that its scripts write is rendered, with all that they load', { skip }, async () => {
  const { ask, origin } = open()
  const answer = await ask('/app')
  assert.equal(answer.rendered, true)
  assert.equal(answer.markdown, `# Two tides a day\n\n${PARAGRAPH}\n\n![Sea](${origin}/sea.png)\n`)
})

test('a page is used as fetched where rendering is not requested', { skip }, async () => {
  const { ask } = open()
  const bare = await ask('/static', { render: 'never' })
  assert.deepEqual([bare.rendered, bare.word_count], [false, 2])
  await assert.rejects(ask('/app', { render: 'never' }), { message: EMPTY })
})

test('a page without scripts and one with content are never brought to the browser', { skip }, async () => {
  const { ask } = open()
  const url = 'ws://127.0.0.1:1/'
  assert.equal((await ask('/data', { url })).rendered, false)
  assert.equal((await ask('/article', { url })).rendered, false)
})

test('without a browser that answers, a page is used as fetched unless rendering is required', {
  skip,
}, async () => {
  const { ask } = open()
  const url = 'ws://127.0.0.1:1/devtools/browser/gone'
  assert.equal((await ask('/static', { url })).rendered, false)
  await assert.rejects(ask('/app', { url }), { message: EMPTY })
  await assert.rejects(ask('/app', { url, render: 'always' }), {
    message: 'upstream_failed: The page cannot be rendered: the browser cannot be reached.',
  })
})

test('no way out of a page, also one that was led to from another site, leads to a private network', {
  skip,
}, async () => {
  const { ask, canary, otherOrigin } = open()
  const { title, rendered } = await ask(`${otherOrigin}/hop`, { render: 'always' })
  assert.deepEqual([title, rendered], ['tried 35 of 35', true])
  assert.deepEqual([canary.reached, canary.connections()], [[], 0])
})

test('a page is read once an element matches wait_for, and refused if none does', { skip }, async () => {
  const { ask } = open()
  const limits = { quietMs: 1, settleMs: 60_000 }
  const { markdown } = await ask('/late', { limits, more: { wait_for: '#late' } })
  assert.equal(markdown, `${PARAGRAPH}\n`)
  await assert.rejects(ask('/late', { limits: { settleMs: 500 }, more: { wait_for: '#never' } }), {
    message: 'cannot_be_served: The page cannot be rendered: no element matches wait_for within 0.5 s.',
  })
})

test('a screenshot has the look of the page, and its images are fetched under the same rules', {
  skip,
}, async () => {
  const { ask, asked, canary } = open()
  const draw = async (more: object) => {
    const { screenshot } = await ask('/drawn', { more: { formats: ['screenshot'], ...more } })
    return sharp(Buffer.from(screenshot, 'base64')).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  }
  for (const [more, height] of [
    [{}, 800],
    [{ full_page: true }, 3_000],
  ] as const) {
    const { data, info } = await draw(more)
    assert.deepEqual([info.width, info.height], [1_280, height])
    assert.deepEqual([...data.subarray(-4)], [0, 128, 255, 255])
  }
  assert.ok(asked.includes('/look.css'))
  assert.deepEqual([canary.reached, canary.connections()], [[], 0])
})

test('a page that opens dialogs, windows or itself without an end does not keep another from being rendered', {
  skip,
}, async () => {
  const { ask } = open()
  assert.equal((await ask('/dialogs', { render: 'always' })).title, 'no dialogs')
  for (const path of ['/alerts', '/windows', '/reloads'])
    await whileRunning(path, async () => {
      assert.equal((await ask('/app', PATIENTLY)).rendered, true, path)
    })
})

/** The browsers once the scripts of the page run; throws if the page ends before. */
async function browsersRunning(
  path: string,
  ended: Promise<unknown>,
  seen: number,
): Promise<readonly number[]> {
  const over = ended.then((reason) => assert.fail(`${path} ended before its scripts ran: ${reason}`))
  over.catch(() => {})
  while (!open().asked.includes(`/began?${path}`, seen)) await Promise.race([wait(20), over])
  return browsersOf(process.pid)
}

/** Resolves when one of the browsers has ended with all its processes. */
async function untilOneEnds(browsers: readonly number[]): Promise<void> {
  while (browsers.every((browser) => processesOf(browser).length > 0)) await wait(20)
}

const DISCONNECTED = new Error('the caller disconnected')

/**
 * Does the work while the scripts of a page run, whose caller then disconnects.
 * @returns why the page was not rendered, and the browsers that ran
 */
async function whileRunning(path: string, work: () => Promise<void>) {
  const { asked, render } = open()
  const caller = new AbortController()
  const seen = asked.length
  const ended = render(path, caller.signal, 600_000).catch((error: unknown) => error)
  try {
    const browsers = await browsersRunning(path, ended, seen)
    await work()
    caller.abort(DISCONNECTED)
    return { reason: await ended, browsers }
  } finally {
    // Also if the work failed: the page would run on.
    caller.abort(DISCONNECTED)
  }
}

test('a page that loops, or floods its browser, keeps no other page from being rendered', {
  skip,
}, async () => {
  const { ask } = open()
  for (const path of ['/loop-began', '/titles']) {
    const { reason, browsers } = await whileRunning(path, async () => {
      assert.equal((await ask('/app', PATIENTLY)).rendered, true, path)
    })
    assert.equal(reason, DISCONNECTED)
    await untilOneEnds(browsers)
  }
})

test('the browser of a page past its deadline is ended', { skip }, async () => {
  const { render } = open()
  const browsers = browsersOf(process.pid)
  const hostile = render('/loop-began', new AbortController().signal, 5_000)
  await assert.rejects(hostile, { message: 'upstream_timeout: The page takes too long to render.' })
  await untilOneEnds(browsers)
})
