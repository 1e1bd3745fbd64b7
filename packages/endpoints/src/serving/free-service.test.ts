import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { listen } from '@tollbook/http/server/serve'
import { ANY_ENDPOINT, getRow } from '@tollbook/testing/catalogue/row-endpoints'
import { pino } from 'pino'
import * as z from 'zod'
import { json } from '../answer.ts'
import { docsFrame } from '../documents/page-frame.ts'
import { defineEndpoint } from '../endpoint.ts'
import { createServiceApp } from './router.ts'

const item = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'item',
  method: 'GET',
  path: '/items/{id}.json',
  pathPatterns: { id: '[a-z]+' },
  pricing: { kind: 'free' },
  isPostRead: false,
  isQueryLenient: true,
  isPage: true,
  input: z.object({ id: z.string(), limit: z.int().min(1).optional() }),
  example: { input: { id: 'a' } },
  handle: ({ input }) => json(input),
})
const note = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'note',
  method: 'POST',
  path: '/notes',
  pricing: { kind: 'free' },
  input: z.object({ words: z.array(z.string()).min(1) }),
  example: { input: { words: ['a'] } },
  limits: { bodyBytes: 1_000, bodyValues: 3, timeoutMs: 1_000 },
  fromForm: ({ words, ...rest }) => ({ ...rest, ...(words !== undefined && { words: words.split(' ') }) }),
  handle: ({ input }) => json(input.words),
})
const logger = pino({ level: 'silent' })
const create = (endpoints = [item, note]) =>
  createServiceApp({
    service: {
      name: 'test',
      title: 'Test',
      description: 'A free service of a test.',
      baseUrl: 'https://test.example',
      endpoints,
      ports: {},
      frame: docsFrame,
    },
    logger,
    limiter: createRateLimiter(1_000),
  })
const app = create()
const ask = async (path: string, init: RequestInit = {}) => {
  const response = await app.request(path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('a service with a paid endpoint and no gate is not built', () => {
  assert.throws(() => create([item, getRow]), RangeError)
})

test('what follows a path parameter is not part of it, and a path that does not match its pattern is 404', async () => {
  assert.equal((await ask('/items/abc.json')).text, '{"id":"abc"}')
  for (const path of ['/items/abc', '/items/ab1.json', '/items/.json', '/items/a.json.json'])
    assert.equal((await ask(path)).status, 404, path)
})

test('a lenient query ignores unknown, empty and repeated parameters, and still validates the others', async () => {
  const { text } = await ask('/items/a.json?limit=&utm_source=x&limit=3&limit=4&id=b')
  assert.equal(text, '{"id":"a","limit":3}')
  assert.equal((await ask('/items/a.json?limit=0')).status, 400)
})

test('a form is converted to the JSON body; other endpoints accept JSON alone', async () => {
  const send = (body: string, type = 'application/x-www-form-urlencoded') =>
    ask('/notes', { method: 'POST', body, headers: { 'content-type': type } })
  assert.equal((await send('words=+one+two%0D%0A&empty=')).text, '["one","two"]')
  assert.equal((await send('{"words":["one"]}', 'application/json')).text, '["one"]')
  const refused = { 'words=a&words=b': 400, 'other=a&words=b': 400, 'a=1&b=2&c=3&d=4': 400, '': 400 }
  for (const [body, status] of Object.entries(refused)) assert.equal((await send(body)).status, status, body)
  assert.equal((await send('words=a', 'text/plain')).status, 415)
  assert.equal((await ask('/notes', { method: 'POST' })).status, 415)
})

test('a browser gets problems as pages where people open pages, and programs get documents', async () => {
  const browser = { headers: { accept: 'text/html,*/*' } }
  for (const path of ['/items/a.json?limit=0', '/nowhere']) {
    const page = await ask(path, browser)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/, path)
    assert.match(page.text, /<h1>/)
    const document = await ask(path)
    assert.match(document.headers.get('content-type') ?? '', /^application\/problem\+json/, path)
    assert.equal(page.status, document.status)
  }
  const headers = { accept: 'text/html', 'content-type': 'application/json' }
  const refused = await ask('/notes', { method: 'POST', body: '{}', headers })
  assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/)
})

test('a service that sells nothing has the same documents, and lists nothing for sale', async () => {
  const { paths } = JSON.parse((await ask('/openapi.json')).text)
  assert.deepEqual(Object.keys(paths), ['/items/{id}.json', '/notes'])
  for (const path of ['/problems', '/llms.txt', '/.well-known/x402', '/discovery/resources'])
    assert.equal((await ask(path)).status, 200, path)
  assert.deepEqual(JSON.parse((await ask('/discovery/resources')).text).items, [])
  assert.doesNotMatch((await ask('/llms.txt')).text, /paid in USDC/)
})

test('a path with parameters has the same answer the second time, when its route is known', async () => {
  const { url, close } = await listen({ app, host: '127.0.0.1', port: 0, logger })
  after(close)
  for (const [path, id] of [
    ['/items/abc.json', 'abc'],
    ['/items/%61%62.json', 'ab'],
    ['/items/xyz.json?limit=2', 'xyz'],
  ] as const) {
    const answers = []
    for (const method of ['GET', 'GET', 'HEAD', 'GET']) answers.push(await fetch(`${url}${path}`, { method }))
    for (const answer of answers) assert.equal(answer.status, 200, path)
    const [first, second, head, last] = await Promise.all(answers.map((answer) => answer.text()))
    assert.equal(JSON.parse(first ?? '').id, id)
    assert.deepEqual([second, last, head], [first, first, ''])
  }
  assert.equal((await fetch(`${url}/items/abc.json`, { method: 'POST', body: 'x' })).status, 405)
})
