import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { checkTranscription } from '@tollbook/inference/open/check-speech'
import { checkChatModels } from '@tollbook/runtime/check/check-chat-models'
import type { Finding } from '@tollbook/runtime/check/finding'
import { loadConfig } from '@tollbook/runtime/config'
import { checkSocial } from '@tollbook/social/open/check-social'
import { startOwnChromium } from '@tollbook/testing/browser/own-chromium'
import { runCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { OAUTH_CLIENT, startOAuthUpstream } from '@tollbook/testing/social/oauth-upstream'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { checkBrowser } from '@tollbook/utility/open/check-browser'
import { checkImages } from '@tollbook/utility/open/check-images'
import { checkTranslation } from '@tollbook/utility/open/check-translation'

const KEY = 'k3y-0123456789'
type Given = { readonly status?: number; readonly body?: unknown }

const requested: { path: string; headers: IncomingHttpHeaders }[] = []
let pages: Readonly<Record<string, Given>> = {}
const server = createServer((request, response) => {
  const path = request.url ?? ''
  requested.push({ path, headers: request.headers })
  const { status = 200, body = {} } = pages[path] ?? { status: 404 }
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
const url = `http://${host}`
after(() => server.close())

function answering(provided: Readonly<Record<string, Given>>): void {
  requested.length = 0
  pages = provided
}

/** Findings as printed, without the host that all of them name. */
async function shown(findings: Promise<readonly Finding[] | Finding>): Promise<readonly string[]> {
  return [await findings].flat().map(({ verdict, text }) => `${verdict}: ${text.replace(`${host} `, '')}`)
}

const X = { TOLLBOOK_SOCIAL_PROVIDERS: 'store,x', TOLLBOOK_X_URL: url, TOLLBOOK_X_TOKEN: KEY }
// https://docs.x.com/x-api/v2/usage/tweets documents strings, https://docs.x.com/x-api/usage/get-usage
// numbers.
const usage = (project_usage: unknown, project_cap: unknown) => ({
  body: { data: { cap_reset_day: 10, project_cap, project_id: '1369785403853424', project_usage } },
})

test('X is queried for its usage, which is free, with the token that calls use', async () => {
  const ask = async (provided: Given, more: Record<string, string> = {}) => {
    answering({ '/2/usage/tweets': provided })
    const [, app = ''] = await shown(checkSocial(loadConfig({ ...X, ...more })))
    assert.equal(requested[0]?.headers.authorization, `Bearer ${KEY}`)
    assert.ok(!app.includes(KEY))
    return app
  }
  const read = (used: number) => `accepts TOLLBOOK_X_TOKEN; ${used} of 50000 posts of this month were read`
  assert.equal(await ask(usage('43435', '50000')), `ok: ${read(43435)}`)
  assert.equal(await ask(usage(43435, 50000)), `ok: ${read(43435)}`)
  assert.equal(
    await ask(usage('50000', '50000')),
    `failed: ${read(50000)}; no more are available until the next month or with a larger plan`,
  )
  assert.equal(
    await ask({ status: 401, body: { title: KEY } }),
    'failed: rejects the credentials (401); renew TOLLBOOK_X_TOKEN',
  )
  assert.equal(await ask({ status: 429 }), 'note: reachable, but rate limited for now (429)')
  assert.equal(await ask({ status: 500 }), 'failed: answers with status 500; the upstream itself is failing')
  assert.match(await ask({ body: '<html>' }), /^failed: is not an X API; check TOLLBOOK_X_URL$/)
  assert.match(await ask({ status: 404 }), /^note: answers, but reports no usage/)
})

test('the user token for searching users of X is reported with its user', async () => {
  answering({
    '/2/usage/tweets': usage('1', '2'),
    '/2/users/me': { body: { data: { id: '7', name: 'Jun', username: 'jun' } } },
  })
  const without = await shown(checkSocial(loadConfig(X)))
  assert.equal(without[2], 'note: no TOLLBOOK_X_USER_TOKEN is set; X requires it for searching users')
  const user = `${KEY}-of-jun`
  const found = await shown(checkSocial(loadConfig({ ...X, TOLLBOOK_X_USER_TOKEN: user })))
  assert.equal(found[2], 'ok: accepts TOLLBOOK_X_USER_TOKEN of @jun')
  assert.equal(requested.at(-1)?.headers.authorization, `Bearer ${user}`)
  answering({ '/2/usage/tweets': usage('1', '2'), '/2/users/me': { status: 401 } })
  const refused = await shown(checkSocial(loadConfig({ ...X, TOLLBOOK_X_USER_TOKEN: user })))
  assert.equal(refused[2], 'failed: rejects the credentials (401); renew TOLLBOOK_X_USER_TOKEN')
})

test('the sign-in check detects whether the upstream knows the application', async () => {
  const upstream = await startOAuthUpstream()
  try {
    const ask = async (secret: string) => {
      const config = loadConfig({
        TOLLBOOK_SOCIAL_BASE_URL: 'https://social.example',
        TOLLBOOK_X_URL: upstream.origin,
        TOLLBOOK_X_OAUTH_CLIENT_ID: OAUTH_CLIENT.id,
        TOLLBOOK_X_OAUTH_CLIENT_SECRET: secret,
      })
      return (await shown(checkSocial(config))).at(-1)
    }
    assert.equal(
      await ask(OAUTH_CLIENT.secret),
      'ok: the application is known; register https://social.example/auth/x/callback',
    )
    assert.match((await ask('another')) ?? '', /^failed: .* 401\. Check TOLLBOOK_X_OAUTH_CLIENT_ID and/)
  } finally {
    upstream.close()
  }
})

test('Bluesky is queried for users, for posts, which it may refuse, and its directory for its version', async () => {
  const config = loadConfig({
    TOLLBOOK_SOCIAL_PROVIDERS: 'bluesky',
    TOLLBOOK_BLUESKY_URL: url,
    TOLLBOOK_PLC_URL: url,
  })
  const users = '/xrpc/app.bsky.actor.searchActors?q=a&limit=1'
  const posts = '/xrpc/app.bsky.feed.searchPosts?q=a&limit=1'
  const well = { [users]: { body: { actors: [] } }, '/_health': { body: { version: '0.0.1' } } }
  answering({ ...well, [posts]: { body: { posts: [] } } })
  assert.deepEqual(await shown(checkSocial(config)), [
    'ok: answers from bluesky',
    'ok: answers',
    'ok: searches posts',
    'ok: is the account directory',
  ])
  answering({ ...well, [posts]: { status: 403 } })
  assert.match(
    (await shown(checkSocial(config)))[2] ?? '',
    /^failed: does not search posts without an account, .*\/tweets\/search.*TOLLBOOK_BLUESKY_URL$/,
  )
})

test('translators are queried for languages and models, in the order in which they translate', async () => {
  const of = (provided: Record<string, string>) => shown(checkTranslation(loadConfig(provided)))
  const order = 'llm,libretranslate'
  const all = {
    TOLLBOOK_TRANSLATE_ORDER: order,
    TOLLBOOK_TRANSLATE_LLM_MODEL: 'm-1',
    TOLLBOOK_TRANSLATE_LLM_URL: `${url}/v1/chat/completions`,
    TOLLBOOK_TRANSLATE_LLM_KEY: KEY,
    TOLLBOOK_LIBRETRANSLATE_URL: url,
  }
  const languages = [{ code: 'en' }, { code: 'de' }]
  const models = { object: 'list', data: [{ id: 'm-1', object: 'model' }] }
  answering({
    '/v1/models': { body: models },
    '/languages': { body: languages },
    '/frontend/settings': { body: { keyRequired: true } },
  })
  const keyless = 'failed: requires a key; set TOLLBOOK_LIBRETRANSLATE_KEY'
  assert.deepEqual(await of(all), ['ok: has the model m-1', 'ok: translates 2 languages', keyless])
  assert.equal(requested[0]?.headers.authorization, `Bearer ${KEY}`)
  const keyed = { ...all, TOLLBOOK_LIBRETRANSLATE_KEY: KEY, TOLLBOOK_TRANSLATE_LLM_MODEL: 'm-2' }
  assert.deepEqual(await of(keyed), [
    'note: does not list the model m-2; check TOLLBOOK_TRANSLATE_LLM_MODEL',
    'ok: translates 2 languages',
  ])
  assert.deepEqual(await of({ TOLLBOOK_TRANSLATE_ORDER: order }), [
    'note: no backend is configured; /api/translate-text is not sold (add a model: tollbook models add bergamot-en-es)',
  ])
})

test('image and transcription upstreams are queried for their models, and generate nothing', async () => {
  answering({ '/models': { body: { data: [{ id: 'painter' }] } } })
  const painter = loadConfig({ TOLLBOOK_IMAGE_URL: url, TOLLBOOK_IMAGE_MODEL: 'painter' })
  assert.deepEqual(await shown(checkImages(painter)), ['ok: has the model painter'])
  const hearer = loadConfig({ TOLLBOOK_TRANSCRIPTION_URL: url })
  assert.deepEqual(await shown(checkTranscription(hearer)), ['ok: answers'])
  assert.deepEqual(
    requested.filter(({ path }) => path !== '/models'),
    [],
  )
  const gone = { name: 'gone', key: undefined, model: undefined, settings: 'TOLLBOOK_IMAGE' }
  const closed = await checkChatModels(hearer, { ...gone, url: 'http://127.0.0.1:1' })
  assert.deepEqual(
    [closed.verdict, closed.text],
    ['failed', '127.0.0.1:1 cannot be reached; check that it runs, and TOLLBOOK_IMAGE_URL'],
  )
})

test('an unreachable browser is reported without its URL, whose path is a secret', async () => {
  answering({ '/secret-path/json/version': { body: {} } })
  const of = (address: string) => shown(checkBrowser(loadConfig({ TOLLBOOK_BROWSER_WS: address })))
  const advice = '; check that it runs, and TOLLBOOK_BROWSER_WS'
  const nowhere = await of(`ws://${host}/secret-path`)
  assert.deepEqual(nowhere, [`failed: the browser cannot be reached${advice}`])
  const silent = await of(`${url}/secret-path`)
  assert.deepEqual(silent, [`failed: the browser's debugging port has no protocol URL${advice}`])
  assert.deepEqual(await shown(checkBrowser(loadConfig({ TOLLBOOK_BROWSER: 'off' }))), [
    'note: no TOLLBOOK_BROWSER_WS, and no Chromium to start; scripts of pages are not run',
  ])
})

test('two parts that use one upstream have a line each', async () => {
  answering({ '/models': { body: { data: [{ id: 'm' }] } } })
  const { stdout } = await runCommand(['check', 'utility', 'inference'], {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: temporaryFolder('check'),
    TOLLBOOK_TRANSLATE_LLM_URL: url,
    TOLLBOOK_TRANSLATE_LLM_MODEL: 'm',
    TOLLBOOK_TRANSCRIPTION_URL: url,
    TOLLBOOK_TRANSCRIPTION_MODEL: 'm',
  })
  for (const name of ['translation', 'recordings'])
    assert.match(stdout, new RegExp(`^ok +${name} +${host} has the model m$`, 'm'))
})

const own = await startOwnChromium()
const skip = typeof own === 'string' ? own : false
after(async () => {
  if (typeof own !== 'string') await own.close()
})

test('a reachable browser is reported with its name', { skip }, async () => {
  assert.ok(typeof own !== 'string')
  const { url, release } = await own.take(new AbortController().signal)
  for (const address of [url, `http://${new URL(url).host}`]) {
    const [found = ''] = await shown(checkBrowser(loadConfig({ TOLLBOOK_BROWSER_WS: address })))
    assert.match(found, /^ok: (Headless)?Chrome\/\d+\.\S+ answers$/)
  }
  release(true)
})
