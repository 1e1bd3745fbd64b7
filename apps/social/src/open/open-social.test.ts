import assert from 'node:assert/strict'
import { loadConfig } from '@tollbook/runtime/config'
import { testWorkers } from '@tollbook/testing/social/open-social'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { createSessionKeys } from '../session/session-keys.ts'
import type { State } from '../state/state.ts'
import { openSessionKeys, openSocial } from './open-social.ts'

const BASE_URL = 'https://social.example'
const TOKEN = '0'.repeat(40)

async function start(state: State, settings: Record<string, string>): Promise<URL> {
  const config = loadConfig(settings)
  const { pages } = await openSocial({ config, baseUrl: BASE_URL, state, workers: testWorkers() })
  const response = await pages['/auth/x/start']?.({
    url: new URL(BASE_URL),
    parameters: {},
    requestId: '',
    headers: new Headers(),
    clientAddress: '127.0.0.1',
    method: 'GET',
  })
  assert.ok(response instanceof Response)
  return new URL(response.headers.get('location') ?? '')
}

onSqliteState('users sign in at the configured upstream, and return to this service', async (state) => {
  const own = await start(state, { TOLLBOOK_X_OAUTH_CLIENT_ID: 'app' })
  assert.equal(own.origin + own.pathname, 'https://x.com/i/oauth2/authorize')
  assert.equal(own.searchParams.get('client_id'), 'app')
  assert.equal(own.searchParams.get('redirect_uri'), `${BASE_URL}/auth/x/callback`)
  const other = await start(state, {
    TOLLBOOK_X_OAUTH_CLIENT_ID: 'app',
    TOLLBOOK_X_OAUTH_AUTHORIZE_URL: 'http://127.0.0.1:9/authorize?tenant=1',
    TOLLBOOK_X_OAUTH_REDIRECT_URL: 'https://proxy.example/back',
  })
  assert.match(other.href, /^http:\/\/127\.0\.0\.1:9\/authorize\?tenant=1&response_type=code&/)
  assert.equal(other.searchParams.get('redirect_uri'), 'https://proxy.example/back')
  await assert.rejects(start(state, {}), /not_configured/)
})

onSqliteState(
  'all processes on one state have the same keys, unless the setting overrides them',
  async (state) => {
    const ct0With = async (settings: Record<string, string>) =>
      (await openSessionKeys(loadConfig(settings), state)).ct0Of(TOKEN)
    assert.equal(await ct0With({}), await ct0With({}))
    assert.notEqual(await ct0With({}), await ct0With({ TOLLBOOK_SESSION_KEY: '0'.repeat(64) }))
    const zeros = await ct0With({ TOLLBOOK_SESSION_KEY: '0'.repeat(64) })
    assert.equal(zeros, createSessionKeys(new Uint8Array(32)).ct0Of(TOKEN))
  },
)
