import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequestAnswers, type PausedRequest } from './answer-requests.ts'
import { RenderError, type ResourceRequest } from './browser-task.ts'

const LIMITS = {
  connectMs: 1,
  settleMs: 1,
  quietMs: 1,
  maxFetched: 3,
  maxRequests: 6,
  maxBytes: 250,
  maxResourceBytes: 100,
}
const page = { headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' }, body: Buffer.from('page') }

type Sent = { readonly method: string; readonly responseCode?: number; readonly body?: string }

/** The answer the browser received for each request, and what was fetched for it. */
function answering({ type = 'text/javascript', bytes = 10, isDrawn = false } = {}) {
  const sent: Sent[] = []
  const fetched: Omit<ResourceRequest, 'id'>[] = []
  const answers = createRequestAnswers({
    frameId: 'main',
    page,
    limits: LIMITS,
    isDrawn,
    fetch: async (request) => {
      fetched.push(request)
      return {
        status: 200,
        headers: { 'content-type': type, 'set-cookie': 'a=b' },
        body: Buffer.alloc(bytes),
      }
    },
    send: async (method, params) => sent.push({ method, ...params }),
  })
  const answer = async (
    resourceType: string,
    provided: Partial<PausedRequest['request']> = {},
    frameId = 'main',
  ) => {
    const request = { url: 'https://example.com/a', method: 'GET', headers: {}, ...provided }
    await answers.answer({ requestId: '1', frameId, resourceType, request })
    const { method, responseCode = 0, body = '' } = sent.at(-1) ?? { method: '' }
    return method === 'Fetch.failRequest'
      ? 'refused'
      : `${responseCode} ${Buffer.from(body, 'base64')}`.trim()
  }
  return { answers, answer, fetched, sent }
}

test('the page is returned as received, under a policy and without its cookies', async () => {
  const { answer, fetched, sent } = answering()
  assert.equal(await answer('Document'), '200 page')
  assert.deepEqual(fetched, [])
  assert.match(
    JSON.stringify(sent),
    /"content-security-policy","value":"sandbox allow-scripts allow-same-origin;/,
  )
  assert.doesNotMatch(JSON.stringify(sent), /set-cookie/)
})

test('scripts and data are fetched without headers that identify the browser or the reader', async () => {
  const { answer, fetched } = answering()
  const headers = { 'User-Agent': 'Chrome', Cookie: 'a=b', 'X-Api-Key': 'k', 'X-Forwarded-For': '10.0.0.1' }
  assert.match(await answer('Script', { headers }), /^200/)
  assert.deepEqual(
    fetched.map(({ url, headers }) => [url, headers]),
    [['https://example.com/a', { 'x-api-key': 'k' }]],
  )
})

test('a second document is fetched if it is HTML of the page itself; otherwise the page stays', async () => {
  const html = answering({ type: 'text/html; charset=utf-8' })
  await html.answer('Document')
  assert.match(await html.answer('Document'), /^200/)
  assert.equal(await html.answer('Document', {}, 'frame'), 'refused')
  assert.equal(await html.answer('Document', { method: 'POST' }), '204')
  const file = answering({ type: 'application/zip' })
  await file.answer('Document')
  assert.equal(await file.answer('Document'), '204')
})

test('nothing is fetched for other methods, for styling, or beyond the limits', async () => {
  const { answer, fetched } = answering()
  assert.equal(await answer('XHR', { method: 'POST' }), 'refused')
  assert.equal(await answer('Media'), 'refused')
  assert.equal(await answer('Stylesheet'), '200')
  assert.match(await answer('Image'), /^200 GIF89a/)
  assert.equal(await answer('Fetch', { method: 'OPTIONS' }), '204')
  assert.equal(await answer('Fetch', { url: 'file:///etc/passwd' }), 'refused')
  assert.deepEqual(fetched, [])
  await assert.rejects(answer('Image'), RenderError)
})

test('fetching stops at the maximum number of requests and bytes', async () => {
  const few = answering()
  for (let index = 0; index < 3; index++) assert.match(await few.answer('Fetch'), /^200/)
  assert.equal(await few.answer('Fetch'), 'refused')
  const { answer, fetched } = answering({ bytes: 100 })
  for (let index = 0; index < 3; index++) await answer('Fetch')
  // 250 in total, 100 at a time: 50 are left for the third.
  assert.deepEqual(
    fetched.map(({ maxBytes }) => maxBytes),
    [100, 100, 50],
  )
})

test('images and stylesheets are fetched for a page that is drawn, within the limits of the others', async () => {
  const { answer, fetched } = answering({ type: 'image/png', isDrawn: true })
  await answer('Image')
  await answer('Stylesheet')
  assert.equal(await answer('Font'), 'refused')
  await answer('Image')
  assert.equal(await answer('Image'), 'refused')
  assert.equal(fetched.length, LIMITS.maxFetched)
})
