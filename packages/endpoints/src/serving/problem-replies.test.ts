import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_ENDPOINT } from '@tollbook/testing/catalogue/row-endpoints'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'

const free = {
  ...ANY_ENDPOINT,
  pricing: { kind: 'free' },
  input: z.object({}),
  example: { input: {} },
} as const
const chat = defineEndpoint({
  ...free,
  id: 'chat',
  method: 'POST',
  path: '/v1/chat/completions',
  dialect: 'chat',
  handle: () => json({}),
})
const messages = defineEndpoint({
  ...free,
  id: 'messages',
  method: 'POST',
  path: '/v1/messages',
  dialect: 'messages',
  handle: () => json({}),
})
const broken = defineEndpoint({
  ...free,
  id: 'broken',
  method: 'GET',
  path: '/api/broken',
  handle: () => Promise.reject(new Error('secret')),
})
const closed = defineEndpoint({
  ...free,
  id: 'closed',
  method: 'GET',
  path: '/api/closed',
  availability: () => ({
    isAvailable: false,
    problem: { code: 'not_configured', detail: 'Not configured: set TOLLBOOK_TEST_URL.' },
  }),
  handle: () => json({}),
})
const app = createTestApp([chat, messages, broken, closed])
/** As browsers ask for the page of a link. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const CASES = [
  ['/nowhere', 404],
  ['/try/nowhere', 404],
  ['/v1/files', 404],
  ['/v1/chat/completions', 405],
  ['/api/broken', 500],
  ['/api/closed', 503],
] as const

test('a browser gets every problem as a page with links, at a service that sells, too', async () => {
  for (const [path, status] of CASES) {
    const response = await app.request(path, { headers: { accept: BROWSER } })
    const page = await response.text()
    assert.equal(response.status, status, path)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/, path)
    assert.match(response.headers.get('vary') ?? '', /\bAccept\b/, path)
    assert.match(page, /<a href="\/">/, path)
    assert.match(page, /<a href="\/problems#\w+">/, path)
    assert.doesNotMatch(page, /secret/)
  }
  const lost = await (await app.request('/nowhere', { headers: { accept: BROWSER } })).text()
  assert.match(lost, /<a href="\/llms.txt">/)
  const found = await (await app.request('/v1/chat/completions', { headers: { accept: BROWSER } })).text()
  assert.match(found, /<a href="\/try\/v1\/chat\/completions">/)
})

test('a page names what the operator can set only where it says that it is for the operator', async () => {
  for (const path of ['/api/closed', '/try/api/closed', '/']) {
    const page = await (await app.request(path, { headers: { accept: BROWSER } })).text()
    const forBuyers = page.replaceAll(/<details><summary>For the operator[\s\S]*?<\/details>/g, '')
    assert.notEqual(forBuyers, page, path)
    assert.match(page, /TOLLBOOK_TEST_URL/, path)
    assert.doesNotMatch(forBuyers, /TOLLBOOK_/, path)
  }
})

test('a program gets problems as JSON, and so does a browser whose page pays', async () => {
  for (const [path, status] of CASES)
    for (const headers of [
      {},
      { accept: '*/*' },
      { accept: 'application/json' },
      { accept: BROWSER, 'payment-signature': 'x' },
    ]) {
      const response = await app.request(path, { headers: headers as Record<string, string> })
      assert.equal(response.status, status, path)
      assert.match(response.headers.get('content-type') ?? '', /^application\/(problem\+)?json/, path)
    }
})

test('below /v1 a problem has the envelope of the SDKs, also where no endpoint is', async () => {
  const ask = async (path: string, method = 'GET') => {
    const response = await app.request(path, { method })
    // biome-ignore lint/suspicious/noExplicitAny: a test knows what it reads
    return { headers: response.headers, body: (await response.json()) as any }
  }
  for (const [path, method, code] of [
    ['/v1/files', 'GET', 'not_found'],
    ['/v1', 'GET', 'not_found'],
    ['/v1/_t/tier-1/files', 'POST', 'not_found'],
    ['/v1/chat/completions', 'GET', 'method_not_allowed'],
  ] as const) {
    const { body } = await ask(path, method)
    const { message, ...error } = body.error
    assert.deepEqual(error, { type: 'invalid_request_error', param: null, code }, path)
    assert.deepEqual([body.problem.code, body.problem.detail], [code, message], path)
  }
  for (const [path, method, type] of [
    ['/v1/messages/batches', 'GET', 'not_found_error'],
    ['/v1/messages/batches/x', 'POST', 'not_found_error'],
    ['/v1/_t/tier-1/messages/batches', 'GET', 'not_found_error'],
    ['/v1/messages', 'GET', 'invalid_request_error'],
  ] as const) {
    const { headers, body } = await ask(path, method)
    assert.deepEqual([body.type, body.error.type], ['error', type], path)
    assert.equal(headers.get('request-id'), body.request_id, path)
  }
  for (const path of ['/nowhere', '/v10/x', '/api/v1/x'])
    assert.equal((await ask(path)).body.error, undefined, path)
})
