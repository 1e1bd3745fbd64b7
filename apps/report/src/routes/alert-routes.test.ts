import assert from 'node:assert/strict'
import { CLAIMED_AT, MERCHANT, merchant, openClaiming, RIVAL, rival } from '@tollbook/testing/report/claiming'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { State } from '../state/state.ts'

const URL_OF_SHOP = 'https://shop.example/alerts?key=hidden'

type Shown = { readonly id: string; readonly secret: string; readonly [name: string]: unknown }
type Body = Shown & {
  readonly code?: string
  readonly issues?: readonly { readonly parameter: string }[]
  readonly webhooks: readonly (Shown & { readonly deliveries: readonly Shown[] })[]
}

/** A claimed merchant, and requests with the token of its session. */
async function openAlerts(state: State, change?: Parameters<typeof openClaiming>[1]) {
  const claiming = await openClaiming(state, change)
  await claiming.claim()
  const openSession = async () => {
    const { message } = (await claiming.challenge({ action: 'alerts' })).body
    return claiming.post('/claims/session', { message, signature: await merchant.signMessage({ message }) })
  }
  const session = await openSession()
  const send = async (method: string, path: string, body?: unknown, token = String(session.body.token)) => {
    const response = await claiming.app.request(path, {
      method,
      headers: { 'x-alert-token': token, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
  return { ...claiming, openSession, session, send }
}

onEveryState('a claimed merchant registers, lists, tests and deletes a webhook', async (state) => {
  const { session, send } = await openAlerts(state)
  assert.deepEqual(
    [session.status, session.body.address, session.body.expires_at],
    [201, MERCHANT, '2026-11-15T13:30:00+00:00'],
  )
  const created = await send('POST', '/claims/alerts', { url: URL_OF_SHOP, events: ['flag.new'] })
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('cache-control'), 'no-store')
  const { id, secret, ...shown } = created.body
  assert.match(id, /^[0-9a-f]{32}$/)
  assert.match(secret, /^whsec_/)
  assert.deepEqual(shown, {
    url: URL_OF_SHOP,
    events: ['flag.new'],
    rank_places: 10,
    drop_percent: 50,
    created_at: '2026-11-15T12:30:00+00:00',
  })
  assert.equal((await send('POST', `/claims/alerts/${id}/test`)).status, 201)
  const { body } = await send('GET', '/claims/alerts')
  // The secret is shown once.
  assert(!JSON.stringify(body).includes(secret))
  const [webhook] = body.webhooks
  const { deliveries = [], ...listed } = webhook ?? {}
  assert.deepEqual(listed, { id, ...shown })
  assert.deepEqual(
    deliveries.map(({ id: _id, ...delivery }) => delivery),
    [
      {
        event: 'test',
        created_at: '2026-11-15T12:30:00+00:00',
        attempts: 0,
        outcome: 'pending',
        last_answer: null,
      },
    ],
  )
  assert.deepEqual((await send('DELETE', `/claims/alerts/${id}`)).body, { id, deleted: true })
  assert.deepEqual((await send('GET', '/claims/alerts')).body, { webhooks: [] })
  for (const [method, path] of [
    ['DELETE', `/claims/alerts/${id}`],
    ['POST', `/claims/alerts/${id}/test`],
  ] as const)
    assert.equal((await send(method, path)).status, 404)
})

onEveryState('a session needs a claim and a signature of its own, and ends after an hour', async (state) => {
  const { challenge, clock, claim, openSession, post, send, session } = await openAlerts(state)
  const sign = async (wish: object, path: string) => {
    const { message } = (await challenge({ ...wish })).body
    return (await post(path, { message, signature: await merchant.signMessage({ message }) })).body.code
  }
  // A signature for one purpose is none for another.
  assert.equal(await sign({ action: 'alerts' }, '/claims'), 'challenge_not_open')
  assert.equal(await sign({}, '/claims/session'), 'challenge_not_open')
  const { message } = (await challenge({ action: 'alerts' })).body
  assert.match(message, /I manage the alerts/)
  const signatures = [await rival.signMessage({ message }), await merchant.signMessage({ message })]
  const codes = await Promise.all(
    signatures.map(async (signature) => (await post('/claims/session', { message, signature })).body.code),
  )
  // The valid signature may close the challenge before the other one is verified.
  assert.ok(['signature_invalid', 'challenge_not_open'].includes(codes[0] ?? ''))
  assert.equal(codes[1], undefined)
  const again = await post('/claims/session', { message, signature: signatures[1] })
  assert.equal(again.body.code, 'challenge_not_open')
  assert.equal((await challenge({ address: rival.address, action: 'alerts' })).status, 404)
  assert.equal((await challenge({ action: 'alerts', statement: 'Words.' })).status, 400)

  for (const token of ['', 'x', `${session.body.token}x`])
    assert.notEqual((await send('GET', '/claims/alerts', undefined, token)).status, 200)
  clock.now = new Date(CLAIMED_AT.getTime() + 3_600_000 - 1)
  assert.equal((await send('GET', '/claims/alerts')).status, 200)
  clock.now = new Date(CLAIMED_AT.getTime() + 3_600_000)
  assert.equal((await send('GET', '/claims/alerts')).body.code, 'credential_refused')

  // A withdrawal ends sessions and deletes webhooks; a new claim does not bring them back.
  const token = String((await openSession()).body.token)
  await send('POST', '/claims/alerts', { url: URL_OF_SHOP }, token)
  await claim({ action: 'withdraw' })
  assert.equal((await send('GET', '/claims/alerts', undefined, token)).body.code, 'credential_refused')
  await claim()
  const next = String((await openSession()).body.token)
  assert.deepEqual((await send('GET', '/claims/alerts', undefined, next)).body, { webhooks: [] })
})

onSqliteState('a wallet sees and deletes its own webhooks only', async (state) => {
  const { challenge, post, send } = await openAlerts(state)
  const { id } = (await send('POST', '/claims/alerts', { url: URL_OF_SHOP })).body
  const sign = async (action: string, path: string) => {
    const { message } = (await challenge({ address: rival.address, action })).body
    return (await post(path, { message, signature: await rival.signMessage({ message }) })).body
  }
  assert.equal((await sign('claim', '/claims')).address, RIVAL)
  const token = String((await sign('alerts', '/claims/session')).token)
  assert.deepEqual((await send('GET', '/claims/alerts', undefined, token)).body, { webhooks: [] })
  assert.equal((await send('DELETE', `/claims/alerts/${id}`, undefined, token)).status, 404)
  assert.equal((await send('POST', `/claims/alerts/${id}/test`, undefined, token)).status, 404)
  assert.equal((await send('GET', '/claims/alerts')).body.webhooks.length, 1)
})

onEveryState('a wallet has at most five webhooks, also at the same time', async (state) => {
  const { send } = await openAlerts(state)
  const answers = await Promise.all(
    Array.from({ length: 9 }, () => send('POST', '/claims/alerts', { url: URL_OF_SHOP })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 429, 429, 429, 429])
})

onSqliteState('a webhook must be an https URL on a public host', async (state) => {
  const { send } = await openAlerts(state)
  for (const url of [
    'http://shop.example/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest',
    'https://wiki.internal/',
    'https://user:pass@shop.example/',
    'https://shop.example:25/',
    `https://shop.example/${'a'.repeat(500)}`,
    'ftp://shop.example/',
    'shop.example',
  ]) {
    const { status, body } = await send('POST', '/claims/alerts', { url })
    assert.deepEqual([status, body.issues?.[0]?.parameter], [400, 'url'], url)
  }
  for (const wish of [{ events: [] }, { events: ['nonsense'] }, { drop_percent: 0 }, { rank_places: 0.5 }])
    assert.equal((await send('POST', '/claims/alerts', { url: URL_OF_SHOP, ...wish })).status, 400)
})

onSqliteState('tests that nobody receives are limited', async (state) => {
  const { send } = await openAlerts(state)
  const { id } = (await send('POST', '/claims/alerts', { url: URL_OF_SHOP })).body
  for (let sent = 0; sent < 10; sent++)
    assert.equal((await send('POST', `/claims/alerts/${id}/test`)).status, 201)
  assert.equal((await send('POST', `/claims/alerts/${id}/test`)).status, 429)
})
