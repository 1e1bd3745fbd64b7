import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { State } from '@tollbook/cli/commands/state/state'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { type Config, loadConfig } from '@tollbook/runtime/config'
import { EXAMPLE_IMAGE } from '@tollbook/social/endpoints/tweets/mediaUpload/example'
import { type OpenedSocial, openSessionKeys, openSocial } from '@tollbook/social/open/open-social'
import { hashToken, issueSession } from '@tollbook/social/session/session-store'
import { seedSample } from '@tollbook/social/source/store/seed-sample'
import { type Customer, openShop, receiptOf, type Shop } from '@tollbook/testing/paying/shop'
import { OAUTH_CLIENT, startOAuthUpstream } from '@tollbook/testing/social/oauth-upstream'
import { testWorkers } from '@tollbook/testing/social/open-social'
import { sql } from 'kysely'
import { OPERATOR_HEADERS, OPERATOR_SETTING } from '../paying/operator-key.ts'

const OMAR = '9000000000000000015'
const MENTIONS = '/tweets/mentions'
const UPLOAD = '/tweets/mediaUpload'
const APP_TOKEN = 'bearer-of-the-whole-app'

let upstream: Awaited<ReturnType<typeof startOAuthUpstream>>
let config: Config
let shop: Shop
let payer: Customer
before(async () => {
  upstream = await startOAuthUpstream()
  config = loadConfig({
    TOLLBOOK_SOCIAL_PROVIDERS: 'store,x',
    TOLLBOOK_X_URL: upstream.origin,
    TOLLBOOK_X_TOKEN: APP_TOKEN,
    TOLLBOOK_X_OAUTH_CLIENT_ID: OAUTH_CLIENT.id,
    TOLLBOOK_X_OAUTH_CLIENT_SECRET: OAUTH_CLIENT.secret,
    TOLLBOOK_X_OAUTH_AUTHORIZE_URL: upstream.urls.authorizeUrl,
  })
  let opened: Promise<OpenedSocial> | undefined
  const open = (state: State) => {
    opened ??= openSocial({ config, baseUrl: 'http://127.0.0.1', state, workers: testWorkers() })
    return opened
  }
  shop = await openShop({
    endpoints: await loadEndpoints(new URL('../../apps/social/src/', import.meta.url)),
    portsOf: async (state) => (await open(state)).ports,
    pagesOf: async (state) => (await open(state)).pages,
    settings: OPERATOR_SETTING,
  })
  await seedSample(shop.seller.state, new Date())
  payer = await shop.newPayer()
})
after(async () => {
  await shop?.close()
  upstream?.close()
})

type Told = { readonly status: number; readonly text: string; readonly isPaid: boolean }

/** The whole answer, with base64 headers decoded. */
async function tell(response: Response): Promise<Told> {
  const isPaid = receiptOf(response)?.success === true
  const plain = ['payment-required', 'payment-response'].map((name) =>
    Buffer.from(response.headers.get(name) ?? '', 'base64').toString(),
  )
  const text = [...[...response.headers].flat(), ...plain, await response.text()].join('\n')
  return { status: response.status, text, isPaid }
}

/** Signs in at the upstream like a browser; returns the values that the page shows. */
async function signIn(): Promise<readonly [token: string, ct0: string]> {
  const start = await fetch(`${shop.seller.url}/auth/x/start`, { redirect: 'manual' })
  const cookie = start.headers.get('set-cookie')?.split(';')[0] ?? ''
  const sent = await fetch(start.headers.get('location') ?? '', { redirect: 'manual' })
  const { pathname, search } = new URL(sent.headers.get('location') ?? '')
  const page = await (await fetch(`${shop.seller.url}${pathname}${search}`, { headers: { cookie } })).text()
  const [, token = '', ct0 = ''] = /<code>([0-9a-f]{40})<.*<code>([0-9a-f]{64})</s.exec(page) ?? []
  return [token, ct0]
}

function formOf(content: Uint8Array<ArrayBuffer> | string, fields: Record<string, string> = {}): RequestInit {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new File([content], 'picture.png'))
  return { method: 'POST', body: form }
}

/** The whole content of the data folder: the state with its log, stored answers, anything else. */
function readFolder(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n')
}

test('sessions are paid for and refused, and their values appear only in the requests', async () => {
  const { state } = shop.seller
  const keys = await openSessionKeys(config, state)
  const issued = await issueSession({ state, keys }, { userId: OMAR, grant: null, now: new Date() })
  const [authToken, ct0] = [issued.authToken, issued.ct0]
  const [second, secondCt0] = await signIn()
  assert.match(second, /^[0-9a-f]{40}$/)
  const image = new Uint8Array(EXAMPLE_IMAGE)
  const query = `?${new URLSearchParams({ auth_token: authToken, ct0 })}`
  const answers: string[] = []
  const ask = async (path: string, init: RequestInit = {}) => {
    const unpaid = await tell(await shop.ask(path, undefined, init))
    assert.equal(unpaid.status, 402)
    const [bare = ''] = path.split('?')
    const payment = await shop.sign(payer, bare, init.method ? { method: init.method } : {})
    const paid = await tell(await shop.ask(path, payment, init))
    answers.push(unpaid.text, paid.text)
    return paid
  }
  const isCharged = async (given: Promise<Told>, status: number) => {
    const { status: actual, isPaid, text } = await given
    assert.deepEqual([actual, isPaid], [status, status === 200], text)
  }
  const json = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

  const earned = await shop.earned()
  await isCharged(ask(`${MENTIONS}${query}`), 200)
  await isCharged(ask(MENTIONS, json({ auth_token: authToken })), 200)
  const headers = { 'x-auth-token': authToken, 'x-ct0': ct0 }
  await isCharged(ask(MENTIONS, { headers }), 200)
  await isCharged(ask(UPLOAD, { ...formOf(image), headers }), 200)
  await isCharged(ask(`${UPLOAD}${query}`, formOf(image)), 200)
  await isCharged(ask(UPLOAD, formOf(image, { auth_token: authToken, ct0 })), 200)
  // The same for a user of the upstream, where the user is looked up.
  const ofSecond = `?auth_token=${second}&ct0=${secondCt0}`
  await isCharged(ask(`${MENTIONS}${ofSecond}`), 200)
  await isCharged(ask(`${UPLOAD}${ofSecond}`, formOf(image)), 200)
  assert.match(answers.at(-1) ?? '', /"media_id":"88"/)
  // Eight calls at $0.006.
  assert.equal((await shop.earned()) - earned, 48_000n)

  const crossed = `?auth_token=${authToken}&ct0=${secondCt0}`
  await isCharged(ask(`${MENTIONS}${crossed}`), 403)
  await isCharged(ask(`${UPLOAD}${crossed}`, formOf(image)), 403)
  await isCharged(ask(`${MENTIONS}?auth_token=${ct0.slice(0, 40)}`), 403)
  await isCharged(ask(MENTIONS, { headers: { ...headers, 'x-ct0': secondCt0 } }), 403)
  await isCharged(ask(`${MENTIONS}${query}`, { headers }), 400)
  await isCharged(ask('/tweets/by/id?id=x', { headers }), 400)
  upstream.revokeAll()
  await isCharged(ask(`${MENTIONS}${ofSecond}`), 403)
  await isCharged(ask(`${UPLOAD}${ofSecond}`, formOf(image)), 403)
  await isCharged(ask(`${MENTIONS}?auth_tokn=${authToken}&ct0=${ct0}`), 400)
  await isCharged(ask(`${MENTIONS}${query}&auth_token=${authToken}`), 400)
  await isCharged(ask(`${MENTIONS}${query}&next_token=${authToken}`), 400)
  await isCharged(ask(`${UPLOAD}${query}`, formOf(`no image ${authToken}`)), 415)
  await isCharged(ask(`${UPLOAD}${query}`, formOf(new Uint8Array(6 * 1024 * 1024))), 413)
  answers.push((await tell(await shop.ask(`/tweets/${authToken}${query}`))).text)
  for (const table of ['social_session', 'social_image']) {
    await sql`alter table ${sql.table(table)} rename to away`.execute(state.db)
    await isCharged(ask(`${UPLOAD}${query}`, formOf(image)), 500)
    if (table === 'social_session') await isCharged(ask(`${MENTIONS}${query}`), 500)
    await sql`alter table away rename to ${sql.table(table)}`.execute(state.db)
  }
  assert.equal((await shop.earned()) - earned, 48_000n)

  const pages = ['/', '/metrics', '/discovery/resources', '/openapi.json', '/llms.txt', '/.well-known/x402']
  for (const page of pages) answers.push((await tell(await shop.ask(page))).text)
  for (const page of ['/metrics', '/operator/summary.json'])
    answers.push((await tell(await shop.ask(page, undefined, { headers: OPERATOR_HEADERS }))).text)
  const places = {
    log: shop.seller.logged(),
    folder: readFolder(shop.seller.config.TOLLBOOK_DATA_DIR),
    answers: answers.join('\n'),
  }
  assert.ok(places.log.includes('paid handler failed'))
  for (const stored of [payer.address.toLowerCase(), hashToken(authToken), hashToken(second)])
    assert.ok(places.folder.includes(stored))
  assert.ok(places.answers.includes('tollbook_http_requests_total'))
  // The values that the holder received, and those that the upstream sent to this service.
  const issuedSecrets = [authToken, ct0, second, secondCt0, ...upstream.secrets]
  const secrets = [...issuedSecrets, OAUTH_CLIENT.secret, APP_TOKEN, OPERATOR_SETTING.TOLLBOOK_OPERATOR_KEY]
  for (const secret of secrets) {
    const written = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, -4)]
    for (const [place, text] of Object.entries(places))
      for (const way of written) assert.ok(!text.includes(way), `the ${place} shows ${way}`)
  }
})
