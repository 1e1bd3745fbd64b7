import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { OAUTH_CLIENT, OAUTH_USER, startOAuthUpstream } from '@tollbook/testing/social/oauth-upstream'
import { testSessionKeys as keys, socialPorts } from '@tollbook/testing/social/open-social'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { createSocialService } from '../../service.ts'
import type { State } from '../../state/state.ts'
import { createSessions } from '../sessions.ts'
import { buildLoginPages } from './login-pages.ts'
import { createOAuthClient, type OAuthSettings } from './oauth-client.ts'

const MINUTE_MS = 60_000
const REDIRECT = 'https://social.example/auth/x/callback'
const fetchUpstream = createSafeFetch({ allowPrivateNetwork: true })

let upstream: Awaited<ReturnType<typeof startOAuthUpstream>>
before(async () => {
  upstream = await startOAuthUpstream()
})
after(() => upstream?.close())
beforeEach(() => Object.assign(upstream, { grants: [], secrets: [], failure: null, expiresIn: 7200 }))

async function open(state: State, settings: Partial<OAuthSettings> = {}) {
  let nowMs = TEST_TIME.getTime()
  const clock = () => new Date(nowMs)
  const own = { ...upstream.urls, issuer: upstream.origin, redirectUrl: REDIRECT, clientId: OAUTH_CLIENT.id }
  const oauth = createOAuthClient(
    { ...own, clientSecret: OAUTH_CLIENT.secret, ...settings },
    { fetch: fetchUpstream, clock },
  )
  const pages = buildLoginPages({ state, keys, oauth }, clock)
  const service = await createSocialService({
    baseUrl: 'https://social.example',
    ports: socialPorts(state),
    pages,
  })
  const { ask } = openService(service)
  const sessions = createSessions({ state, keys, oauth })
  /**
   * Starts a sign-in; returns the URL to which the upstream redirects the browser, and the browser's cookie.
   */
  async function begin() {
    const started = await ask('/auth/x/start')
    assert.equal(started.status, 302)
    assert.equal(started.headers.get('cache-control'), 'no-store')
    const authorizeUrl = new URL(started.headers.get('location') ?? '')
    const setCookie = started.headers.get('set-cookie') ?? ''
    const sent = await fetch(authorizeUrl, { redirect: 'manual' })
    const back = new URL(sent.headers.get('location') ?? '')
    return {
      authorizeUrl,
      setCookie,
      cookie: setCookie.split(';')[0] ?? '',
      back: back.pathname + back.search,
    }
  }
  return {
    ask,
    begin,
    async signIn() {
      const { back, cookie } = await begin()
      const { text } = await ask(back, { headers: { cookie } })
      return /[0-9a-f]{40}/.exec(text)?.[0] ?? ''
    },
    find: (token: string) => sessions.find(token, { now: clock(), signal: AbortSignal.timeout(10_000) }),
    pass(ms: number) {
      nowMs += ms
    },
  }
}

const isRefused = (error: unknown) =>
  error instanceof ProblemError && error.problem.code === 'credential_refused'

onEveryState('a browser signs in and is shown its session once', async (state) => {
  const { ask, begin, find } = await open(state)
  const { authorizeUrl, setCookie, cookie, back } = await begin()
  const requested = Object.fromEntries(authorizeUrl.searchParams)
  assert.deepEqual(
    [
      requested.response_type,
      requested.client_id,
      requested.redirect_uri,
      requested.code_challenge_method,
      requested.scope,
    ],
    ['code', OAUTH_CLIENT.id, REDIRECT, 'S256', 'tweet.read users.read media.write offline.access'],
  )
  // RFC 6265bis section 4.1.3.2: Secure, the path /, and no Domain.
  const attributes = 'Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure'
  assert.deepEqual(setCookie.split(/=[^;]+; (.*)/s).slice(0, 2), ['__Host-tollbook_sign_in', attributes])

  const { status, headers, text } = await ask(back, { headers: { cookie } })
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.match(headers.get('set-cookie') ?? '', /^__Host-tollbook_sign_in=; Path=\/; Max-Age=0;.*; Secure$/)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self'; /)
  assert.match(policy, /base-uri 'none'; frame-ancestors 'none'$/)
  const [, token = '', ct0 = ''] = /<code>([0-9a-f]{40})<.*<code>([0-9a-f]{64})</s.exec(text) ?? []
  assert.ok(keys.isCt0Of(token, ct0) && text.includes(OAUTH_USER.username))
  const user = await find(token)
  assert.deepEqual(user, { userId: OAUTH_USER.id, accessToken: upstream.secrets[1] })

  const again = await ask(back, { headers: { cookie } })
  assert.deepEqual([again.status, again.body.code], [403, 'credential_refused'])
  assert.deepEqual(upstream.grants, ['authorization_code'])
  const rows = JSON.stringify(await state.db.selectFrom('social_session').selectAll().execute())
  for (const secret of [...upstream.secrets, token, ct0]) assert.ok(!rows.includes(secret))
})

onSqliteState(
  "a sign-in is completed only by its own browser, in time, with the upstream's values",
  async (state) => {
    const { ask, begin, pass } = await open(state)
    const refusal = async (
      change: (begun: Awaited<ReturnType<typeof begin>>) => readonly [string, string],
    ) => {
      const [path, cookie] = change(await begin())
      const { status, body } = await ask(path, { headers: { cookie } })
      assert.deepEqual([status, body.code], [403, 'credential_refused'])
      return body.detail as string
    }
    assert.match(await refusal(({ back }) => [back, '']), /another browser/)
    const other = await begin()
    assert.match(await refusal(({ back }) => [back, other.cookie]), /another browser/)
    assert.match(await refusal(({ back, cookie }) => [back.replace('state=', 'state=x'), cookie]), /not open/)
    const noCode = ({ back, cookie }: Awaited<ReturnType<typeof begin>>) =>
      [back.replace(/&code=.*/, '&error=access_denied'), cookie] as const
    assert.match(await refusal(noCode), /not allowed/)
    assert.deepEqual(upstream.grants, [])
    assert.match(
      await refusal(({ back, cookie }) => [back.replace('&code=', '&code=x'), cookie]),
      /no longer valid/,
    )
    assert.match(
      await refusal(({ back, cookie }) => {
        pass(10 * MINUTE_MS)
        return [back, cookie]
      }),
      /older than ten minutes/,
    )
    const { back, cookie } = await begin()
    const both = await Promise.all([1, 2].map(() => ask(back, { headers: { cookie } })))
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403])
    for (const path of ['/auth/x/start', back])
      assert.equal((await ask(path, { method: 'HEAD' })).status, 405)
  },
)

onSqliteState('the redirect of another authorization server is rejected', async (state) => {
  const { ask, begin } = await open(state)
  const { back, cookie } = await begin()
  // RFC 9207 section 2.4: an issuer is compared as a string, before the code is used.
  const other = encodeURIComponent('https://attacker.example')
  const mixedUp = await ask(`${back}&iss=${other}`, { headers: { cookie } })
  assert.deepEqual([mixedUp.status, mixedUp.body.code], [403, 'credential_refused'])
  assert.match(mixedUp.body.detail as string, /another server/)
  assert.deepEqual(upstream.grants, [])
  const own = encodeURIComponent(upstream.origin)
  assert.equal((await ask(`${back}&iss=${own}`, { headers: { cookie } })).status, 200)
})

onSqliteState('a redirect with a repeated or foreign state is rejected', async (state) => {
  const { ask, begin } = await open(state)
  const { back, cookie } = await begin()
  // RFC 6749 section 3.1: no parameter more than once.
  for (const more of ['&state=other', '&code=other', `&iss=${upstream.origin}&iss=${upstream.origin}`]) {
    const { status, body } = await ask(back + more, { headers: { cookie } })
    assert.deepEqual([status, body.code], [403, 'credential_refused'], more)
  }
  const foreign = await begin()
  const state2 = new URL(foreign.back, 'http://host').searchParams.get('state') ?? ''
  const swapped = await ask(back.replace(/state=[^&]+/, `state=${state2}`), { headers: { cookie } })
  assert.deepEqual([swapped.status, swapped.body.code], [403, 'credential_refused'])
  assert.deepEqual(upstream.grants, [])
  assert.equal((await ask(back, { headers: { cookie } })).status, 200)
})

onSqliteState('a cookie that another host of the domain could have set is ignored', async (state) => {
  const { ask, begin } = await open(state)
  const attacked = await begin()
  const foreign = attacked.cookie.replace('__Host-', '')
  const { status, body } = await ask(attacked.back, { headers: { cookie: foreign } })
  assert.deepEqual([status, body.code], [403, 'credential_refused'])
  const { back, cookie } = await begin()
  assert.equal((await ask(back, { headers: { cookie: `${foreign}; ${cookie}` } })).status, 200)
})

onSqliteState('a browser can sign in over plain http, with a cookie for the callback only', async (state) => {
  const { ask, begin } = await open(state, { redirectUrl: 'http://127.0.0.1:4021/auth/x/callback' })
  const { setCookie, cookie, back } = await begin()
  assert.match(
    setCookie,
    /^tollbook_sign_in=[^;]+; Path=\/auth\/x\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )
  const { status, headers } = await ask(back, { headers: { cookie } })
  assert.equal(status, 200)
  assert.match(headers.get('set-cookie') ?? '', /^tollbook_sign_in=; Path=\/auth\/x\/callback; Max-Age=0;/)
})

onEveryState('concurrent calls renew an expiring token once', async (state) => {
  const { signIn, find, pass } = await open(state)
  const token = await signIn()
  const { accessToken: first } = await find(token)
  pass((7200 - 61) * 1000)
  assert.equal((await find(token)).accessToken, first)
  assert.deepEqual(upstream.grants, ['authorization_code'])
  // It has expired; the upstream accepts its refresh token once.
  pass(2 * MINUTE_MS)
  const found = await Promise.all([1, 2, 3, 4, 5].map(() => find(token)))
  assert.deepEqual(upstream.grants, ['authorization_code', 'refresh_token'])
  const newest = upstream.secrets.at(-2)
  assert.deepEqual(
    found.map(({ accessToken }) => accessToken),
    Array.from({ length: 5 }, () => newest),
  )
})

onSqliteState('an upstream failure ends no session, and a rejected grant does', async (state) => {
  const { signIn, find, pass } = await open(state)
  const token = await signIn()
  const { accessToken: first } = await find(token)
  const failures = [
    [500, 'down', 'upstream_failed'],
    [200, 'no json', 'upstream_failed'],
    [200, '{"access_token":"a"}', 'upstream_failed'],
    [401, '{"error":"invalid_client"}', 'upstream_failed'],
  ] as const
  pass((7200 - 30) * 1000)
  upstream.failure = { status: 500, body: '' }
  // The current token is valid for another half minute.
  assert.equal((await find(token)).accessToken, first)
  pass(MINUTE_MS)
  for (const [status, body, code] of failures) {
    upstream.failure = { status, body }
    await assert.rejects(find(token), (error) => error instanceof ProblemError && error.problem.code === code)
  }
  upstream.failure = null
  assert.notEqual((await find(token)).accessToken, first)

  pass(3 * 60 * MINUTE_MS)
  upstream.revokeAll()
  await assert.rejects(find(token), isRefused)
  assert.deepEqual(await state.db.selectFrom('social_session').selectAll().execute(), [])
})

onSqliteState('without a reachable upstream, sign-in fails', async (state) => {
  const { begin, ask } = await open(state, { tokenUrl: 'http://127.0.0.1:1/token' })
  const { back, cookie } = await begin()
  const unreached = await ask(back, { headers: { cookie } })
  assert.deepEqual([unreached.status, unreached.body.code], [502, 'upstream_failed'])
  const pages = buildLoginPages(null, () => TEST_TIME)
  const service = await createSocialService({ baseUrl: '', ports: socialPorts(state), pages })
  for (const path of ['/auth/x/start', '/auth/x/callback']) {
    const { status, body } = await openService(service).ask(path)
    assert.deepEqual([status, body.code], [503, 'not_configured'])
  }
})
