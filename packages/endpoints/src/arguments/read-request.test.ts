import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenClient, JSON_TYPE, post } from '@tollbook/testing/catalogue/open-client'
import { ANY_ENDPOINT, getRow, putRow } from '@tollbook/testing/catalogue/row-endpoints'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { fc } from '@tollbook/testing/property'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { maxBytesOf } from './read-request.ts'

const paidRead = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'read',
  method: 'GET',
  path: '/api/read',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  input: z.object({
    text: z.string().min(2),
    size: z.coerce.number().int().min(0).default(7),
    raw: z.stringbool().default(false),
    tags: z.array(z.string()).optional(),
  }),
  hasExactNumbers: true,
  example: { input: { text: 'ab' }, output: {} },
  check: ({ text }) =>
    text === 'no' ? [{ parameter: 'text', detail: 'is no', code: 'cannot_be_served' }] : [],
  handle: ({ input, payer }) => {
    return json({ input, payer })
  },
})
const upload = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'upload',
  method: 'POST',
  path: '/api/upload',
  pricing: { kind: 'exact', priceUsd: '0.006' },
  accepts: 'multipart',
  input: z.object({
    file: z.file().max(100),
    note: z.string().optional(),
    times: z.number().optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  example: { input: { file: new File(['x'], 'x.txt') }, output: {} },
  handle: ({ input, files }) => {
    const file = files.get('file')
    const { note, times, labels } = input
    return json({ note, times, labels, type: file?.contentType, bytes: [...(file?.bytes ?? [])] })
  },
})
const { ask, pay } = createOpenClient(createTestApp([paidRead, putRow, getRow, upload]))

test('query texts are converted to the types of the schema', async () => {
  const { status, body } = await pay('/api/read?text=hello&size=12&raw=true&tags=a&tags=b')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    input: { text: 'hello', size: 12, raw: true, tags: ['a', 'b'] },
    payer: TEST_PAYER,
  })
})

test('a read accepts the same fields by POST', async () => {
  const { body } = await pay('/api/read', post({ text: 'hello', size: 12, raw: true, tags: ['a'] }))
  assert.deepEqual(body.input, { text: 'hello', size: 12, raw: true, tags: ['a'] })
  assert.deepEqual((await pay('/api/read?size=3', post({ text: 'hello' }))).body.input.size, 3)
})

test('a field named body receives the whole JSON body, whatever its type', async () => {
  const { body } = await pay('/api/rows/a', { ...post([{ row: 1 }]), method: 'PUT' })
  assert.deepEqual(body.input, { row: 'a', body: [{ row: 1 }] })
})

test('an endpoint with exact numbers receives them digit for digit', async () => {
  const text = '{"id":12345678901234567890,"share":0.10}'
  const put = await pay('/api/rows/a', { ...post(text), method: 'PUT' })
  assert.equal(put.text, '{"input":{"row":"a","body":{"id":12345678901234567890,"share":0.1}}}')
  // If a field declares a number, it is one.
  const typed = await pay('/api/read', post('{"text":"hello","size":3.0000000000000000001}'))
  assert.equal(typed.body.input.size, 3)
})

test('undeclared names that the endpoint accepts reach it unchanged', async () => {
  const { body } = await pay('/api/rows/a%20b?where.age.gt=3')
  assert.deepEqual(body.input, { row: 'a b', 'where.age.gt': '3' })
})

test('all issues are listed, an unknown parameter with the nearest known one', async () => {
  const { status, headers, body } = await pay('/api/read?txet=hi&size=&raw=perhaps&size=1')
  assert.equal(status, 400)
  assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.deepEqual(body.issues, [
    { parameter: 'txet', detail: 'is not a known parameter; did you mean text?', code: 'unknown_parameter' },
    { parameter: 'size', detail: 'is specified more than once' },
    { parameter: 'text', detail: 'is required' },
    {
      parameter: 'raw',
      detail: 'must be one of true, 1, yes, on, y, enabled, false, 0, no, off, n, disabled',
    },
  ])
  assert.equal(body.type, 'https://test.example/problems#unknown_parameter')
  assert.equal(body.request_id, headers.get('x-request-id'))
})

test('numbers that only look like numbers are rejected', async () => {
  for (const size of ['', '%205', '0x10', 'Infinity', '1e999', '1.5', 'null', 'true']) {
    const { status } = await pay(`/api/read?text=hello&size=${size}`)
    assert.equal(status, 400, size)
  }
  // Anyone may send two million digits, also unpaid: an expression that divides them in every way would take hours.
  assert.equal((await ask(`/api/read?text=hello&size=${'1'.repeat(2_000_000)}x`)).status, 402)
  for (const size of [null, true, [], {}, '']) {
    const { status } = await pay('/api/read', post({ text: 'hello', size }))
    assert.equal(status, 400, JSON.stringify(size))
  }
})

test('well-formed input that cannot be served is 422, and 400 takes precedence', async () => {
  assert.equal((await pay('/api/read?text=no')).status, 422)
  assert.equal((await pay('/api/read?text=no&x=1')).status, 400)
})

test('a body must be JSON, within bounds, shallow and without __proto__', async () => {
  const cases: [RequestInit, number, string][] = [
    [post('{"text":"hello"'), 400, 'invalid_request'],
    [post('[1]'), 400, 'invalid_request'],
    [post(`{"text":"hello","tags":${'['.repeat(200)}${']'.repeat(200)}}`), 400, 'invalid_request'],
    [post('{"text":"hello","__proto__":{"size":1}}'), 400, 'invalid_request'],
    [post('{"text":"hello","\\u005f_proto__":{"size":1}}'), 400, 'invalid_request'],
    [post('{"text":"hello","constructor":1}'), 400, 'unknown_parameter'],
    [post({ text: 'x'.repeat(2000) }), 413, 'too_large'],
    [{ ...post('text=hello'), headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    [{ ...post('{}'), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }, 415, 'unsupported_media_type'],
  ]
  for (const [init, status, code] of cases) {
    const { body, status: actual } = await pay('/api/read', init)
    assert.deepEqual([actual, body.code], [status, code], String(init.body))
  }
  const twice = await pay('/api/read', post('{"text":"first","text":"second"}'))
  assert.equal(twice.body.input.text, 'second')
})

test('a chunked body of unknown length is cut off at the limit', async () => {
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(500))
    },
  })
  const init = { method: 'POST', body, duplex: 'half', headers: JSON_TYPE } as RequestInit
  assert.equal((await pay('/api/read', init)).status, 413)
  // 3 chunks of 500 exceed the limit of 1000; a stream may buffer one more.
  assert.ok(pulled <= 4, `${pulled} chunks were read`)
})

test('a challenge reports the issues that are visible at once', async () => {
  assert.deepEqual((await ask('/api/read?text=hello')).body, { issues: null, code: null })
  assert.equal((await ask('/api/read?text=no')).body.code, 'cannot_be_served')
  assert.deepEqual((await ask('/api/read')).body.issues, [{ parameter: 'text', detail: 'is required' }])
  assert.deepEqual((await ask('/api/read', post({ text: 'h' }))).body.issues, [
    { parameter: 'text', detail: 'must have at least 2 characters' },
  ])
})

test('a challenge does not wait for a body that does not arrive', async () => {
  const body = new ReadableStream({})
  const init = { method: 'POST', body, duplex: 'half', headers: JSON_TYPE } as RequestInit
  const { status, body: answer } = await ask('/api/read?size=x', init)
  assert.equal(status, 402)
  // The body may still contain `text`, so only what has been read is reported.
  assert.deepEqual(answer.issues, [{ parameter: 'size', detail: 'must be a number' }])
})

test('a multipart body provides files and fields', async () => {
  const form = new FormData()
  form.set('file', new File([new Uint8Array([1, 2])], 'a.png', { type: 'image/png' }))
  form.set('note', 'hi')
  form.set('times', '2')
  const { status, body } = await pay('/api/upload', { method: 'POST', body: form })
  assert.equal(status, 200)
  assert.deepEqual(body, { note: 'hi', times: 2, type: 'image/png', bytes: [1, 2] })
  const bare = new FormData()
  bare.set('file', 'text')
  bare.set('fiel', new File([], 'b'))
  assert.deepEqual((await pay('/api/upload', { method: 'POST', body: bare })).body.issues, [
    { parameter: 'fiel', detail: 'is not a known parameter; did you mean file?', code: 'unknown_parameter' },
    { parameter: 'file', detail: 'must be a file' },
  ])
  assert.equal((await pay('/api/upload', post({}))).status, 415)
})

const sendForm = (labels: readonly string[], file = new File(['x'], 'x')) => {
  const body = new FormData()
  body.set('file', file)
  for (const text of labels) body.append('labels', text)
  return pay('/api/upload', { method: 'POST', body })
}

test('a file without a type has that of its name', async () => {
  const typeOf = async (file: File) => (await sendForm([], file)).body.type
  assert.equal(await typeOf(new File(['x'], 'A.MD')), 'text/markdown')
  assert.equal(await typeOf(new File(['x'], 'a.csv', { type: 'application/octet-stream' })), 'text/csv')
  assert.equal(await typeOf(new File(['x'], 'a.md', { type: 'text/html' })), 'text/html')
  for (const name of ['a', 'a.bin', '.md', 'a.constructor'])
    assert.equal(await typeOf(new File(['x'], name)), 'application/octet-stream', name)
})

test('an object is sent in a form as JSON', async () => {
  const issuesOf = async (...labels: string[]) => (await sendForm(labels)).body.issues
  const issue = (detail: string) => [{ parameter: 'labels', detail }]
  assert.deepEqual((await sendForm(['{"a":"b"}'])).body.labels, { a: 'b' })
  assert.deepEqual(await issuesOf('{'), issue('is not valid JSON'))
  assert.deepEqual(await issuesOf('5'), issue('must be an object'))
  assert.deepEqual(await issuesOf('{}', '{}'), issue('is specified more than once'))
  assert.deepEqual(await issuesOf('['.repeat(101)), issue('is nested deeper than 100 levels'))
  assert.deepEqual(await issuesOf('{"__proto__":{}}'), issue('has a forbidden key: __proto__'))
  assert.match((await sendForm(['{"a":5}'])).body.detail, /^labels\.a /)
})

test('a form has a limit of its own, where the endpoint declares one', () => {
  const limits = { bodyBytes: 6, formBytes: 20, timeoutMs: 1 }
  const limitOf = (type: string, endpoint: Endpoint) =>
    maxBytesOf({ endpoint, headers: new Headers({ 'content-type': type }) })
  const form = 'multipart/form-data; boundary=b'
  assert.equal(limitOf(form, { ...upload, limits }), 20)
  assert.equal(limitOf('application/json', { ...upload, limits }), 6)
  assert.equal(limitOf(form, upload), ANY_ENDPOINT.limits.bodyBytes)
})

test('any input gets an answer or a named issue, and never reaches a prototype', async () => {
  const name = fc.oneof(
    fc.constantFrom('text', 'size', 'raw', 'tags', '__proto__', 'constructor', 'toString', 'where.x'),
    fc.string(),
  )
  const query = fc.array(fc.tuple(name, fc.string()), { maxLength: 6 })
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.dictionary(name, fc.jsonValue()).map((value) => JSON.stringify(value)),
  )
  await fc.assert(
    fc.asyncProperty(query, body, fc.boolean(), async (pairs, text, isPost) => {
      const path = `/api/read?${new URLSearchParams(pairs)}`
      const { status, body: answer } = isPost ? await pay(path, post(text)) : await pay(path)
      assert.ok([200, 400, 413, 422].includes(status), `${status}`)
      if (status === 200) assert.equal(typeof answer.input.text, 'string')
      else assert.ok(answer.detail.length > 0)
      assert.equal(Object.keys(Object.prototype).length, 0)
    }),
    { numRuns: 300 },
  )
})
