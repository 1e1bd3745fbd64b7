import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { tryPathOf } from '@tollbook/endpoints/documents/try-path'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { createFacilitatorEndpoints } from '@tollbook/facilitator/endpoints'
import { DISCOVERY_ENDPOINTS } from '@tollbook/report/routes/discovery-routes'
import { createSessionKeys } from '@tollbook/social/session/session-keys'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { recordedVoices } from '@tollbook/testing/inference/recorded-voices'
import { MERCHANT, merchant, openClaiming, RIVAL } from '@tollbook/testing/report/claiming'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { findPageIssues } from './page-issues.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
type App = { readonly request: (path: string, init?: RequestInit) => Response | Promise<Response> }

async function assertValid(app: App, path: string, init: RequestInit = {}): Promise<void> {
  const response = await app.request(path, { ...init, headers: { ...BROWSER, ...init.headers } })
  const page = await response.text()
  assert.match(
    response.headers.get('content-type') ?? '',
    /^text\/html/,
    `${path}: ${response.status} ${page}`,
  )
  // Tools that judge a page read the documents next to it from within.
  assert.match(response.headers.get('content-security-policy') ?? '', /connect-src 'self'/, path)
  assert.deepEqual(findPageIssues(page), [], path)
}

test('every page of the services that sell, and of the facilitator, is valid HTML', async () => {
  const ports = {
    ...inferencePorts(),
    sessions: createSessionKeys(new Uint8Array(32)),
    provider: { name: 'none', operations: {} },
    ...recordedVoices,
  }
  for (const name of ['social', 'utility', 'inference', 'facilitator']) {
    const endpoints =
      name === 'facilitator'
        ? [...createFacilitatorEndpoints(BASE), ...DISCOVERY_ENDPOINTS]
        : await loadEndpoints(new URL(`../apps/${name}/src/`, import.meta.url))
    const app = createTestApp(endpoints, { ports })
    const pages = ['/', '/problems', '/nowhere', ...endpoints.map((each) => tryPathOf(each, endpoints))]
    for (const path of pages) await assertValid(app, path)
    const robots = await app.request('/robots.txt')
    assert.equal(robots.status, 200)
    assert.match(robots.headers.get('content-type') ?? '', /^text\/plain/)
    assert.equal(await robots.text(), 'User-agent: *\nDisallow:\n')
  }
})

onSqliteState('every page of the report service is valid HTML', async (state) => {
  const { app } = await openClaiming(state)
  const pages = [
    '/',
    '/overview',
    '/methodology',
    '/claims',
    `/claims?address=${MERCHANT}`,
    '/problems',
    '/nowhere',
  ]
  for (const path of [
    ...pages,
    '/search?q=a',
    '/search?q=',
    '/compare?merchants=x',
    `/compare?merchants=${MERCHANT},${RIVAL}`,
  ])
    await assertValid(app, path)
  for (const path of [`/merchants/base/${MERCHANT}`, '/merchants/base/host:a.example'])
    await assertValid(app, path)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [path, fields] of [
    ['/claims/challenge', { address: merchant.address }],
    ['/disputes', { address: MERCHANT, text: 'x' }],
    ['/claims', { nonce: 'x', signature: 'x' }],
  ] as const)
    await assertValid(app, path, { method: 'POST', headers: form, body: `${new URLSearchParams(fields)}` })
  assert.equal((await app.request('/robots.txt')).status, 200)
})
