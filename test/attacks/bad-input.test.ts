import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { CENT } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { sendBytes, sendRaw } from './raw-http.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
/** The body limit of every endpoint of the desk. */
const MAX_BYTES = 1024

let shop: Shop
let payer: Customer
before(async () => {
  shop = await openShop()
  payer = await shop.newPayer()
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 0n })
})
after(() => shop?.close())

/** Sends invalid calls with one payment, which must not be charged and must remain usable. */
async function assertFree(path: string, method: string, refuse: (payment: string) => Promise<void>) {
  const payment = await shop.sign(payer, path, { method })
  const before = await shop.balanceOf(payer.address)
  await refuse(payment)
  assert.equal(shop.desk.runs, 0, 'a handler ran')
  assert.equal(await shop.balanceOf(payer.address), before, 'money moved')
  return payment
}

test('invalid arguments of a read are rejected before the payment is verified', async () => {
  const long = 'x'.repeat(5000)
  const wrong: Record<string, string> = {
    '': 'invalid_request',
    '?': 'invalid_request',
    [`?word=${long}`]: 'invalid_request',
    '?word=a&word=b': 'invalid_request',
    '?word[]=a': 'unknown_parameter',
    '?word=a&wrod=b': 'unknown_parameter',
    [`?word=a&${long}=b`]: 'unknown_parameter',
    '?word=a&__proto__=b': 'unknown_parameter',
    '?word=a&constructor[prototype]=b': 'unknown_parameter',
    '?word=a&<script>alert(1)</script>=b': 'unknown_parameter',
    [`?word=a${'&word=a'.repeat(2000)}`]: 'invalid_request',
    '?word=a&payment-signature=x': 'unknown_parameter',
  }
  const payment = await assertFree('/test/good?word=a', 'GET', async (header) => {
    for (const [query, code] of Object.entries(wrong)) {
      const headers = { 'payment-signature': header }
      const response = await sendRaw(shop.seller.url, { path: `/test/good${query}`, headers })
      if (response.status === 431) continue
      assert.equal(await refusalOf(response), code, query.slice(0, 60))
    }
  })
  assert.equal((await shop.ask('/test/good?word=a', payment)).status, 200)
})

test('characters that no text should contain are accepted or rejected, and never cause a failure', async () => {
  const odd = [
    '%00',
    '%ff%fe',
    '%e2%80%ae',
    '%f0%9f%92%a9',
    '%0d%0aset-cookie:a=b',
    '%22%27%60%3b--',
    '%u0041',
    '%',
  ]
  for (const text of odd) {
    const path = `/test/good?word=${text}`
    const response = await shop.ask(path, await shop.sign(payer, '/test/good?word=a'))
    assert.equal(response.headers.get('set-cookie'), null)
    if (response.status === 200) assert.equal(typeof (await response.json()), 'object')
    else assert.equal(await refusalOf(response), 'invalid_request', text)
  }
})

test('invalid bodies are rejected before the payment is verified', async () => {
  const body = (value: unknown) => ({ headers: JSON_TYPE, body: JSON.stringify(value) })
  const typed = (type: string) => ({ headers: { 'content-type': type }, body: '{"word":"a"}' })
  const wrong: Record<string, [RequestInit, string]> = {
    'no body': [{}, 'invalid_request'],
    'an empty body': [{ headers: JSON_TYPE, body: '' }, 'invalid_request'],
    'no JSON': [{ headers: JSON_TYPE, body: 'word=a' }, 'invalid_request'],
    'half of a JSON text': [{ headers: JSON_TYPE, body: '{"word":"a"' }, 'invalid_request'],
    'a list': [body([{ word: 'a' }]), 'invalid_request'],
    null: [body(null), 'invalid_request'],
    'a number': [body(1), 'invalid_request'],
    'a word that is a number': [body({ word: 1 }), 'invalid_request'],
    'a word that is an object': [body({ word: { $ne: null } }), 'invalid_request'],
    'a word that is null': [body({ word: null }), 'invalid_request'],
    'a further field': [body({ word: 'a', price: '0' }), 'unknown_parameter'],
    'a prototype': [{ headers: JSON_TYPE, body: '{"word":"a","__proto__":{"x":1}}' }, 'invalid_request'],
    'lists in each other': [{ headers: JSON_TYPE, body: `{"word":${'['.repeat(400)}` }, 'invalid_request'],
    'letters that are not UTF-8': [
      { headers: JSON_TYPE, body: Uint8Array.from([0x22, 0xff, 0x22]) },
      'invalid_request',
    ],
    'a form': [typed('application/x-www-form-urlencoded'), 'unsupported_media_type'],
    'a text': [typed('text/plain'), 'unsupported_media_type'],
    XML: [typed('application/xml'), 'unsupported_media_type'],
    'a type that only looks like JSON': [typed('application/jsonp'), 'unsupported_media_type'],
    'a compressed body': [
      { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync('{"word":"a"}') },
      'unsupported_media_type',
    ],
    'a body one byte too long': [
      { headers: JSON_TYPE, body: '{"word":"a"}'.padEnd(MAX_BYTES + 1) },
      'too_large',
    ],
  }
  const payment = await assertFree('/test/notes', 'POST', async (header) => {
    for (const [name, [init, code]] of Object.entries(wrong)) {
      const response = await shop.ask('/test/notes', header, { method: 'POST', ...init })
      assert.equal(await refusalOf(response), code, name)
    }
  })
  const taken = await shop.ask('/test/notes', payment, {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"word":"a"}'.padEnd(MAX_BYTES),
  })
  assert.equal(taken.status, 200)
})

test('a body without a length is read only up to its limit', async () => {
  await assertFree('/test/notes', 'POST', async (payment) => {
    const chunks = Array.from({ length: 64 }, () => 'x'.repeat(512))
    for (const headers of [{ 'payment-signature': payment }, {}]) {
      const response = await sendRaw(shop.seller.url, {
        method: 'POST',
        path: '/test/notes',
        chunks,
        headers: { ...JSON_TYPE, ...headers, 'transfer-encoding': 'chunked' },
      })
      assert.equal(response.status, 'payment-signature' in headers ? 413 : 402)
      await refusalOf(response)
    }
  })
})

test('a body with a large Content-Length is rejected before it arrives, and reported in the 402', async () => {
  await assertFree('/test/notes', 'POST', async (payment) => {
    const { host } = new URL(shop.seller.url)
    const head = `POST /test/notes HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\n`
    const paid = await sendBytes(
      shop.seller.url,
      `${head}PAYMENT-SIGNATURE: ${payment}\r\nContent-Length: 99999999999\r\n\r\n{`,
    )
    assert.match(paid, /^HTTP\/1\.1 413 .*"code":"too_large"/s)
    const unpaid = await sendBytes(shop.seller.url, `${head}Content-Length: 99999999999\r\n\r\n{`)
    assert.match(unpaid, /^HTTP\/1\.1 402 .*"refused_as":"too_large"/s)
  })
})

test('a chunked body that never ends is not charged', async () => {
  const payment = await assertFree('/test/notes', 'POST', async (header) => {
    const { hostname, port } = new URL(shop.seller.url)
    const socket = connect(Number(port), hostname)
    const lines = [
      'POST /test/notes HTTP/1.1',
      `Host: ${hostname}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      `PAYMENT-SIGNATURE: ${header}`,
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n5\r\n{"wor`)
    await new Promise((resolve) => socket.once('connect', resolve))
    assert.equal((await fetch(`${shop.seller.url}/healthz`)).status, 200)
    socket.destroy()
  })
  const init = { method: 'POST', headers: JSON_TYPE, body: '{"word":"a"}' }
  assert.equal((await shop.ask('/test/notes', payment, init)).status, 200)
})

test('invalid uploads are rejected before the payment is verified', async () => {
  const form = (...entries: [string, string | Blob][]) => {
    const body = new FormData()
    for (const [name, value] of entries) body.append(name, value)
    return { body }
  }
  const file = new File(['a'], 'a.txt')
  const multipart = (body: string) => ({
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body,
  })
  const wrong: Record<string, [RequestInit, string]> = {
    'no body': [{}, 'invalid_request'],
    JSON: [{ headers: JSON_TYPE, body: '{}' }, 'unsupported_media_type'],
    'no boundary': [
      { headers: { 'content-type': 'multipart/form-data' }, body: 'a' },
      'unsupported_media_type',
    ],
    'a boundary that never comes': [multipart('aaa'), 'invalid_request'],
    'a form without its end': [
      multipart('--b\r\nContent-Disposition: form-data; name="file"\r\n\r\na'),
      'invalid_request',
    ],
    'no file': [form(['file', 'a text']), 'invalid_request'],
    'two files': [form(['file', file], ['file', file]), 'invalid_request'],
    'a further file': [form(['file', file], ['other', file]), 'unknown_parameter'],
    'a file that is too large': [form(['file', new File(['x'.repeat(5000)], 'b')]), 'too_large'],
  }
  const payment = await assertFree('/test/photos', 'POST', async (header) => {
    for (const [name, [init, code]] of Object.entries(wrong)) {
      const response = await shop.ask('/test/photos', header, { method: 'POST', ...init })
      assert.equal(await refusalOf(response), code, name)
    }
  })
  const names = ['../../etc/passwd', 'a"b.txt', 'ä\u0000.png']
  const traversing = form(['file', new File(['a'], names[0] ?? '')])
  const taken = await shop.ask('/test/photos', payment, { method: 'POST', ...traversing })
  assert.equal(taken.status, 200)
})

test('a payment for a free endpoint, a missing endpoint or a page moves no money', async () => {
  await assertFree('/test/good?word=a', 'GET', async (payment) => {
    const free = ['/healthz', '/openapi.json', '/.well-known/x402', '/discovery/resources', '/', '/nothing']
    for (const path of [...free, '/v1/receipts/unknown', '/v1/receipts/%00', "/v1/receipts/' or 1=1"]) {
      const response = await shop.ask(path, payment)
      assert.ok([200, 404].includes(response.status), path)
      assert.equal(response.headers.get('payment-response'), null)
      if (response.status === 404) assert.equal(await refusalOf(response), 'not_found')
    }
  })
})

test('the total charge equals the prices of the answered calls, to the cent', async () => {
  const { count } = await shop.seller.state.db
    .selectFrom('paid_call')
    .select((rows) => rows.fn.countAll<number>().as('count'))
    .where('state', '=', 'settled')
    .executeTakeFirstOrThrow()
  assert.ok(count > 0)
  assert.equal(await shop.earned(), CENT * BigInt(count))
})
