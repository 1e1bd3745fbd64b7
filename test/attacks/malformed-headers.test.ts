import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { CENT } from '@tollbook/testing/paying/desk'
import {
  type Customer,
  closePayment,
  openPayment,
  openShop,
  refusalOf,
  type Shop,
} from '@tollbook/testing/paying/shop'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { sendBytes, sendRaw } from './raw-http.ts'

const PATH = '/test/good?word=hi'

let shop: Shop
let payer: Customer
let offered: PaymentRequired
let header: string
before(async () => {
  shop = await openShop()
  payer = await shop.newPayer()
  offered = await shop.challenge(PATH)
  header = await signPayment(payer, offered)
})
after(() => shop?.close())

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')

/** The valid payment with one field of its payload replaced. */
function withField(name: string, value: unknown): string {
  const payment = openPayment(header)
  const authorization = { ...payment.payload.authorization, [name]: value }
  return closePayment({ ...payment, payload: { ...payment.payload, authorization } })
}

function withPart(part: Record<string, unknown>): string {
  return closePayment({ ...openPayment(header), ...part })
}

test('an unreadable header is an uncharged 400 with its issue', async () => {
  const payment = openPayment(header)
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const unreadable: Record<string, string> = {
    empty: '',
    'not base64': '%%%',
    'base64 of nothing sensible': base64(Uint8Array.from({ length: 300 }, (_, at) => (at * 7) % 256)),
    'base64 without its padding': `${base64('{"x402Version":2}')}=`.replaceAll('=', ''),
    'a space inside': `${header.slice(0, 20)} ${header.slice(20)}`,
    'two of them, with a comma': `${header},${header}`,
    null: base64('null'),
    'a list': base64('[]'),
    'a list of payments': base64(JSON.stringify([payment])),
    'a number': base64('1'),
    'a text': base64('"x402"'),
    true: base64('true'),
    'cut JSON': base64(JSON.stringify(payment).slice(0, -5)),
    'JSON with a tail': base64(`${JSON.stringify(payment)}{}`),
    'a byte order mark': base64(`\ufeff${JSON.stringify(payment)}`),
    'letters that are not UTF-8': base64(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    'five thousand lists in each other': base64(deep(5000)),
    'a payment with a deep extension': base64(
      JSON.stringify({ ...payment, extensions: { x: 0 } }).replace('"x":0', `"x":${deep(4000)}`),
    ),
    'an empty object': base64('{}'),
    'a version and nothing else': base64('{"x402Version":2}'),
    'no payload': withPart({ payload: undefined }),
    'a payload that is null': withPart({ payload: null }),
    'a payload that is an array': withPart({ payload: [payment.payload] }),
    'a payload that is empty': withPart({ payload: {} }),
    'an authorization that is a text': withPart({ payload: { ...payment.payload, authorization: 'all' } }),
    'a payload of two schemes': withPart({ payload: { ...payment.payload, permit2Authorization: {} } }),
    'accepted terms that are a list': withPart({ accepted: [payment.accepted] }),
    'accepted terms that are null': withPart({ accepted: null }),
    'extensions that are a list': withPart({ extensions: [] }),
    'a resource that is a text': withPart({ resource: 'https://shop.example' }),
    'an amount as a number': withField('value', Number(CENT)),
    'an amount as hexadecimal': withField('value', '0x2710'),
    'an amount with a fraction': withField('value', '10000.0'),
    'an amount with an exponent': withField('value', '1e4'),
    'an amount with a leading zero': withField('value', '010000'),
    'a negative amount': withField('value', '-10000'),
    'an amount beyond 256 bits': withField('value', `${2n ** 256n}`),
    'an amount of ten thousand digits': withField('value', '9'.repeat(10_000)),
    'an end beyond all dates': withField('validBefore', `${2n ** 60n}`),
    'an end that is not a number': withField('validBefore', 'NaN'),
    'a nonce of 31 bytes': withField('nonce', `0x${'11'.repeat(31)}`),
    'a nonce of 33 bytes': withField('nonce', `0x${'11'.repeat(33)}`),
    'a payer that is no address': withField('from', 'vitalik.eth'),
    'a payer with a line break': withField('from', `${payer.address}\n`),
    'a further field': withField('fee', '0'),
    'no signature': withPart({ payload: { authorization: payment.payload.authorization } }),
    'an empty signature': withPart({ payload: { ...payment.payload, signature: '0x' } }),
    'half a byte of signature': withPart({ payload: { ...payment.payload, signature: '0x1' } }),
    'a signature of five thousand bytes': withPart({
      payload: { ...payment.payload, signature: `0x${'11'.repeat(5000)}` },
      extensions: {},
    }),
    'an identifier that is too short': withIdentifier('short'),
    'an identifier that is a number': withIdentifier(12),
    'an identifier of 129 letters': withIdentifier('x'.repeat(129)),
    'an identifier with a quote': withIdentifier("x' or '1'='1' --"),
  }
  const balance = await shop.balanceOf(payer.address)
  for (const [name, value] of Object.entries(unreadable)) {
    const response = await sendRaw(shop.seller.url, { path: PATH, headers: { 'payment-signature': value } })
    if (response.status === 431) continue
    assert.equal(await refusalOf(response), 'payment_malformed', name)
  }
  assert.equal(shop.desk.runs, 0)
  assert.equal(await shop.balanceOf(payer.address), balance)
  assert.deepEqual(await shop.seller.state.db.selectFrom('paid_call').select('id').execute(), [])
})

/** The valid payment with an identifier, in the form that was offered. */
function withIdentifier(id: unknown): string {
  const identifier = offered.extensions['payment-identifier'] as Record<string, unknown>
  return withPart({ extensions: { 'payment-identifier': { ...identifier, info: { required: false, id } } } })
}

test('property names that are special in JavaScript are plain data in a payment', async () => {
  for (const name of ['__proto__', '\\u005f_proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const text = JSON.stringify(openPayment(header))
    const accepted = text.replace('"accepted":{', `"accepted":{"${name}":{"amount":"1"},`)
    const code = await refusalOf(await shop.ask(PATH, base64(accepted)))
    assert.equal(code, name.includes('proto') ? 'payment_malformed' : 'payment_invalid', name)
  }
  assert.equal(({} as Record<string, unknown>).amount, undefined)
  assert.equal(shop.desk.runs, 0)
})

test('if the header is sent twice, neither value is used', async () => {
  const cheap = closePayment({ ...openPayment(header), x402Version: 1 })
  for (const values of [
    [header, header],
    [header, cheap],
    ['', header],
  ]) {
    const response = await sendRaw(shop.seller.url, { path: PATH, headers: { 'payment-signature': values } })
    assert.equal(await refusalOf(response), 'payment_malformed')
  }
  assert.equal(shop.desk.runs, 0)
})

test('headers of 17 kB get the usual problem document, and the service keeps running', async () => {
  const large = { 'payment-signature': 'A'.repeat(17_000) }
  const response = await sendRaw(shop.seller.url, { path: PATH, headers: large })
  assert.equal(response.status, 431)
  assert.equal(await refusalOf(response), 'header_too_large')
  const almost = { 'payment-signature': base64('x'.repeat(11_000)) }
  const readable = await sendRaw(shop.seller.url, { path: PATH, headers: almost })
  assert.equal(await refusalOf(readable), 'payment_malformed')
  assert.equal((await fetch(`${shop.seller.url}/healthz`)).status, 200)
})

test('malformed HTTP requests get a problem document', async () => {
  const { host } = new URL(shop.seller.url)
  const paying = `Host: ${host}\r\nPAYMENT-SIGNATURE: ${header}\r\nConnection: close\r\n`
  const odd: Record<string, string> = {
    'a body with two lengths': `POST ${PATH} HTTP/1.1\r\n${paying}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`,
    'a length beside chunks': `POST ${PATH} HTTP/1.1\r\n${paying}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'chunks that are no chunks': `POST /test/notes HTTP/1.1\r\n${paying}Transfer-Encoding: identity, chunked, x\r\n\r\nzz`,
    'a header with a null byte': `GET ${PATH} HTTP/1.1\r\n${paying}X-A: a\0b\r\n\r\n`,
    'a folded header': `GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\nPAYMENT-SIGNATURE:\r\n ${header}\r\nX y: 1\r\n\r\n`,
    'no host': `GET ${PATH} HTTP/1.1\r\nPAYMENT-SIGNATURE: ${header}\r\nConnection: close\r\n\r\n`,
    'not HTTP': 'pay me\r\n\r\n',
  }
  for (const [name, bytes] of Object.entries(odd)) {
    const answer = await sendBytes(shop.seller.url, bytes)
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, name)
    assert.doesNotMatch(answer, /\bat .+:\d+:\d+/, name)
  }
  assert.equal(shop.desk.runs, 0)
})

test('the valid payment, sent last, is accepted', async () => {
  // Signed again with its nonce: on a slow machine the first signature has expired.
  const { nonce } = openPayment(header).payload.authorization
  const renewed = await signPayment(payer, offered, { nonce })
  assert.equal((await shop.ask(PATH, renewed)).status, 200)
  assert.equal(await shop.earned(), CENT)
})
