import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { issueSession } from '@tollbook/social/session/session-store'
import { seedSample } from '@tollbook/social/source/store/seed-sample'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { socialPorts, testSessionKeys } from '@tollbook/testing/social/open-social'

const OMAR = '9000000000000000015'
const ids = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}`).join(',')
const MANY = Array.from({ length: 21 }, (_, at) => `w${at}`).join('+')

/** Errors that callers make, the parameter that is named for each, and the code. */
const ISSUES: readonly (readonly [path: string, parameter: string, code?: string])[] = [
  ...(
    ['/tweets/by/id', '/lists/by/id', '/articles/by/id', '/users/followers', '/communities/posts'] as const
  ).flatMap((path) =>
    ['x', '-1', '9223372036854775808', ''].map((id) => [`${path}?id=${id}`, 'id'] as const),
  ),
  ['/tweets/by/id', 'id'],
  ['/tweets/by/id?id=1&id=2', 'id'],
  [`/tweets?ids=${ids(51)}`, 'ids'],
  ['/tweets?ids=1,x', 'ids'],
  ['/tweets?ids=', 'ids'],
  ['/tweets/search?lang=en', 'words'],
  ['/tweets/search?words=%2B%2B', 'words'],
  ['/tweets/search?words=', 'words'],
  [`/tweets/search?anyWords=${MANY}`, 'anyWords'],
  ['/tweets/search?words=tea&minLikes=-1', 'minLikes'],
  ['/tweets/search?words=tea&minReplies=some', 'minReplies'],
  ['/tweets/search?words=tea&since=2026-02-30', 'since'],
  ['/tweets/search?words=tea&since=yesterday', 'since'],
  ['/tweets/search?words=tea&until=01/02/2026', 'until'],
  ['/tweets/search?words=tea&since=2026-02-02&until=2026-02-02', 'until'],
  ['/tweets/search?words=tea&lang=e', 'lang'],
  ['/tweets/search?words=tea&limit=20', 'limit', 'unknown_parameter'],
  ['/tweets/user?username=a+b', 'username'],
  ['/users/by/username?username=%40', 'username'],
  ['/users/search?query=', 'query'],
  ['/tweets/user?username=mira_sample&next_token=AQ', 'next_token'],
  ['/tweets/mentions?auth_token=x', 'auth_token'],
]

let shop: Shop
let payer: Customer
let session: { readonly authToken: string; readonly ct0: string }
before(async () => {
  const endpoints = await loadEndpoints(new URL('../../apps/social/src/', import.meta.url))
  shop = await openShop({ endpoints, portsOf: socialPorts })
  const { state } = shop.seller
  const now = new Date()
  await seedSample(state, now)
  session = await issueSession({ state, keys: testSessionKeys }, { userId: OMAR, grant: null, now })
  payer = await shop.newPayer(1_000_000n)
})
after(() => shop?.close())

/** Requests unpaid, then with a payment; returns what both answers report. */
async function askTwice(path: string, init: RequestInit = {}) {
  const unpaid = await shop.ask(path, undefined, init)
  assert.equal(unpaid.status, 402, path)
  const payment = await shop.sign(payer, path.split('?')[0] ?? '', { method: init.method ?? 'GET' })
  const paid = await shop.ask(path, payment, init)
  const refused = (await paid.json()) as { code: string; issues: { parameter: string }[] }
  const challenge = await unpaid.text()
  const named = JSON.parse(challenge) as { code: string; issues?: typeof refused.issues }
  assert.equal(named.code, 'payment_required')
  return { status: paid.status, refused, named, challenge }
}

test('validation errors are reported in the 402, and refused with a payment that is not charged', async () => {
  const held = await shop.balanceOf(payer.address)
  for (const [path, parameter, code = 'invalid_request'] of ISSUES) {
    const { status, refused, named } = await askTwice(path)
    assert.deepEqual([status, refused.code, refused.issues[0]?.parameter], [400, code, parameter], path)
    assert.deepEqual(named.issues, refused.issues, path)
  }
  assert.equal(await shop.balanceOf(payer.address), held)
})

test('a cursor is accepted only by its own list and only unchanged', async () => {
  const list = '/tweets/search?minLikes=1'
  const first = await shop.ask(list, await shop.sign(payer, '/tweets/search'))
  const { meta } = (await first.json()) as { meta: { next_token: string } }
  const token = meta.next_token
  assert.ok(token)
  const held = await shop.balanceOf(payer.address)
  const middle = Math.floor(token.length / 2)
  const changed = `${token.slice(0, middle)}${token[middle] === 'A' ? 'B' : 'A'}${token.slice(middle + 1)}`
  const wrong = [
    `${list}&next_token=${changed}`,
    `${list}&next_token=${token.slice(0, -4)}`,
    `${list}&next_token=1`,
    `/tweets/search?minLikes=2&next_token=${token}`,
    `${list}&lang=en&next_token=${token}`,
    `/users/search?query=a&next_token=${token}`,
    `/lists/tweets?id=1&next_token=${token}`,
  ]
  for (const path of wrong) {
    const { status, refused, named } = await askTwice(path)
    assert.deepEqual([status, refused.issues[0]?.parameter], [400, 'next_token'], path)
    assert.deepEqual(named.issues, refused.issues, path)
  }
  assert.equal(await shop.balanceOf(payer.address), held)
  const next = await shop.ask(`${list}&next_token=${token}`, await shop.sign(payer, '/tweets/search'))
  assert.equal(next.status, 200)
})

test('a foreign ct0, a file that is not an image and an oversized one are reported too, and not charged', async () => {
  const held = await shop.balanceOf(payer.address)
  const formOf = (content: Uint8Array<ArrayBuffer> | string): RequestInit => {
    const form = new FormData()
    form.append('file', new File([content], 'picture.png', { type: 'image/png' }))
    return { method: 'POST', body: form }
  }
  const own = new URLSearchParams({ auth_token: session.authToken, ct0: session.ct0 })
  const crossed = `auth_token=${session.authToken}&ct0=${'0'.repeat(64)}`
  const large = new Uint8Array(6 * 1024 * 1024)
  const cases: readonly [path: string, init: RequestInit, status: number, code: string][] = [
    [`/tweets/mentions?${crossed}`, {}, 403, 'credential_refused'],
    [`/tweets/mediaUpload?${crossed}`, formOf('GIF89a'), 403, 'credential_refused'],
    [`/tweets/mediaUpload?${own}`, formOf('no image'), 415, 'unsupported_media_type'],
    [`/tweets/mediaUpload?${own}`, formOf(large), 413, 'too_large'],
  ]
  for (const [path, init, status, code] of cases) {
    const told = await askTwice(path, init)
    assert.deepEqual([told.status, told.refused.code], [status, code], path)
    assert.ok(told.challenge.includes(`"${code}"`), told.challenge)
  }
  assert.equal(await shop.balanceOf(payer.address), held)
})
