import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial, testSessionKeys } from '@tollbook/testing/social/open-social'
import {
  failingBluesky,
  failingX,
  type UpstreamFault,
  X_USER_TOKEN,
} from '@tollbook/testing/social/social-upstreams'
import { APP_TOKEN, openXUpstream } from '@tollbook/testing/social/x-upstream'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { issueSession } from './session/session-store.ts'
import type { SocialProvider } from './source/provider.ts'

/** Instead of ten seconds; on a slow machine a late answer is still reported as late. */
const SHORT_MS = 300
const LONG = new Date(TEST_TIME.getTime() + 86_400_000).getTime()

const upstream = await openXUpstream()

for (const { name, calls, healthy, prepare, open, faults } of [failingX, failingBluesky])
  onSqliteState(`if ${name} fails in any way, no endpoint answers with success`, async (state) => {
    await prepare(state)
    const grant = { accessToken: X_USER_TOKEN, refreshToken: null, expiresAt: LONG }
    const issuing = { userId: '7', grant, now: TEST_TIME }
    const { authToken, ct0 } = await issueSession({ state, keys: testSessionKeys }, issuing)
    const all = calls({ auth_token: authToken, ct0 })
    // One service for all providers; each call has its own.
    const current = new AsyncLocalStorage<SocialProvider>()
    const { ask } = await openSocial(state, {
      name,
      get operations() {
        return current.getStore()?.operations ?? {}
      },
    })
    const serve = (url: string, deadlineMs?: number) => {
      const provider = open({ state, url, ...(deadlineMs !== undefined && { deadlineMs }) })
      return ({ path, options }: (typeof all)[number]) =>
        current.run(provider, () => ask(path, { ...options, payer: TEST_PAYER }))
    }

    // The requests of each call without failures.
    upstream.answer = healthy
    const askWell = serve(upstream.url)
    const askedBy = new Map<(typeof all)[number], readonly string[]>()
    for (const call of all) {
      upstream.asked.length = 0
      const { status, text } = await askWell(call)
      assert.ok(status === 200 || text.includes('Nothing was found.'), `${call.path}: ${text}`)
      askedBy.set(call, [...new Set(upstream.asked.map(({ path }) => path))])
    }
    const places = [...new Set([...askedBy.values()].flat())]

    // Each request fails in each way, one at a time: the URL selects which and how.
    upstream.answer = (asked) => {
      const [, fault = '', failing = '', path = ''] = /^\/(\d+)\/(\d+)(\/.*)$/.exec(asked.path) ?? []
      const well = healthy({ ...asked, path })
      return path === places[Number(failing)] ? (faults[Number(fault)]?.spoil(well) ?? well) : well
    }
    async function check(fault: UpstreamFault, prefix: string, place: string): Promise<number> {
      const askSpoiled = serve(`${upstream.url}${prefix}`, fault.name === 'nothing' ? SHORT_MS : undefined)
      const failing = all.filter((call) => askedBy.get(call)?.includes(place))
      const answers = await Promise.all(failing.map(askSpoiled))
      for (const [at, { status, text, headers }] of answers.entries()) {
        const what = `${failing[at]?.path}: ${fault.name} of ${place}: ${status} ${text}`
        // The account directory and the authors' servers send no Retry-After, and an entry that they do not
        // have means that there is no article.
        const isElsewhere = place.startsWith('/did:') || place.includes('/com.atproto.')
        assert.ok([...fault.statuses, ...(isElsewhere ? [404, 502] : [])].includes(status), what)
        assert.doesNotMatch(text, /sore|thumb/, what)
        for (const secret of [X_USER_TOKEN, APP_TOKEN, authToken]) assert.ok(!text.includes(secret), what)
        if (status === 503) assert.ok(Number(headers.get('retry-after')) >= 1, what)
      }
      return answers.length
    }
    let checked = 0
    // One failure mode after the other: on a slow machine all calls at once would time out by themselves.
    for (const [kind, fault] of faults.entries()) {
      const counts = await Promise.all(places.map((place, at) => check(fault, `/${kind}/${at}`, place)))
      checked += counts.reduce((sum, count) => sum + count, 0)
    }
    assert.ok(checked >= all.length * faults.length, `${checked}`)
  })
