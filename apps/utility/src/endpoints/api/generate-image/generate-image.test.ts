import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import type { ImageMaker } from '@tollbook/models/images/image-maker'
import { createOpenaiImages } from '@tollbook/models/images/openai-images'
import { withBreaker } from '@tollbook/models/images/upstream'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { callEndpoint, issuesOf, runEndpoint, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { createWorkerPool } from '@tollbook/workers/pool'
import sharp from 'sharp'
import { generateImage } from './endpoint.ts'

const KEY = 'sk-0123456789'
type Asked = { path: string; authorization: string | undefined; body: Record<string, unknown> }
type Given = { status?: number; type?: string; headers?: Record<string, string>; body: string | Uint8Array }

let requested: Asked[] = []
let answerTo: (request: Asked) => Given | null
const server = createServer(async (request, response) => {
  const { url: path = '', headers } = request
  const text = await readText(request)
  const one = { path, authorization: headers.authorization, body: text === '' ? {} : JSON.parse(text) }
  requested.push(one)
  const provided = answerTo(one)
  // No response at all: the upstream is still working.
  if (!provided) return
  response.writeHead(provided.status ?? 200, {
    'content-type': provided.type ?? 'application/json',
    ...provided.headers,
  })
  response.end(provided.body)
})
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
let url = ''
before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await workers.close()
})

const fetch = createSafeFetch({ allowPrivateNetwork: true })
/** Fetches untrusted URLs, which may not reach loopback. */
const fetchPublic = createSafeFetch({ allowPrivateNetwork: false })
const OPENAI_SIZES = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
]
const openai = (more: { model?: string; timeoutMs?: number } = {}) =>
  withBreaker(
    createOpenaiImages({ url: `${url}/v1`, fetch, fetchPublic, key: KEY, sizes: OPENAI_SIZES, ...more }),
  )

function answering(maker: ImageMaker, answer: (request: Asked) => Given | null) {
  requested = []
  answerTo = answer
  return { imageMaker: maker, workers }
}

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#0f766e' } })
const json = (body: unknown): Given => ({ body: JSON.stringify(body) })
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

async function refusalOf(ports: unknown, provided: object = { prompt: 'a cliff' }) {
  const error = await runEndpoint(generateImage, provided, { ports }).catch((reason: unknown) => reason)
  assert.ok(error instanceof ProblemError, String(error))
  assert.ok(!JSON.stringify([error.message, error.stack, error.problem]).includes(KEY))
  const { code, retryAfterSeconds } = error.problem
  return retryAfterSeconds === undefined ? code : `${code} ${retryAfterSeconds}`
}

test('an OpenAI upstream is sent the nearest size, and its image is cropped to the aspect ratio', async () => {
  const png = await image(1536, 1024).png().toBuffer()
  const ports = answering(openai({ model: 'gpt-image-1' }), () =>
    // The documented answer: https://platform.openai.com/docs/api-reference/images/create
    json({ created: 1713833628, data: [{ b64_json: base64(png), revised_prompt: 'A tall cliff' }] }),
  )
  const { image_base64, data_uri, ...answer } = await runEndpoint(
    generateImage,
    { prompt: 'a cliff', aspect: '16:9', style: 'ink' },
    { ports },
  )
  assert.deepEqual(requested, [
    {
      path: '/v1/images/generations',
      authorization: `Bearer ${KEY}`,
      body: { model: 'gpt-image-1', prompt: 'a cliff\nStyle: ink', n: 1, size: '1536x1024' },
    },
  ])
  assert.deepEqual(answer, {
    // 1536 / 16 = 96, and 96 x 9 = 864.
    prompt: 'a cliff',
    revised_prompt: 'A tall cliff',
    aspect: '16:9',
    width: 1536,
    height: 864,
    content_type: 'image/png',
    ts: TEST_TIME.toISOString(),
  })
  const { format, width, height } = await sharp(Buffer.from(image_base64, 'base64')).metadata()
  assert.deepEqual([format, width, height], ['png', 1536, 864])
  assert.equal(data_uri, `data:image/png;base64,${image_base64}`)
})

test('an image that is sent as a URL is fetched from the upstream itself, but not from a private network', async () => {
  const webp = await image(64, 64).webp().toBuffer()
  const named = (place: string) =>
    answering(openai(), ({ path }) =>
      path === '/made.webp' ? { type: 'image/webp', body: webp } : json({ data: [{ url: place }] }),
    )
  const answer = await runEndpoint(generateImage, { prompt: 'x' }, { ports: named(`${url}/made.webp`) })
  assert.deepEqual([answer.width, answer.height], [64, 64])
  assert.equal(requested.at(-1)?.authorization, undefined)
  const elsewhere = url.replace('127.0.0.1', 'localhost')
  assert.equal(await refusalOf(named(`${elsewhere}/made.webp`)), 'upstream_failed')
  assert.equal(requested.length, 1)
})

test('metadata is removed from the image', async () => {
  // Servers of diffusion models write the prompt and their settings into it.
  const png = await image(832, 1248)
    .withExif({ IFD0: { ImageDescription: 'secret workflow' } })
    .withIccProfile('srgb')
    .png()
    .toBuffer()
  assert.ok(png.includes('secret workflow'))
  const ports = answering(openai(), () => json({ data: [{ b64_json: base64(png) }] }))
  const answer = await runEndpoint(generateImage, { prompt: 'a cliff', aspect: '2:3' }, { ports })
  assert.deepEqual([answer.width, answer.height], [832, 1248])
  const out = Buffer.from(answer.image_base64, 'base64')
  assert.ok(!out.includes('secret workflow'))
  const { exif, icc } = await sharp(out).metadata()
  assert.deepEqual([exif, icc], [undefined, undefined])
})

test('raw=1 returns the PNG itself', async () => {
  const png = await image(512, 512).png().toBuffer()
  const ports = answering(openai(), () => json({ data: [{ b64_json: base64(png) }] }))
  const answer = await callEndpoint(generateImage, { prompt: 'x', raw: '1' }, { ports })
  assert.ok(answer.kind === 'bytes')
  assert.equal(answer.contentType, 'image/png')
  assert.deepEqual(answer.headers, { 'x-image-width': '512', 'x-image-height': '512' })
  assert.equal((await sharp(answer.body).metadata()).format, 'png')
})

test('rejections and failures of the upstream are reported and never charged', async () => {
  const error = (status: number, body: unknown, headers = {}): Given => ({
    status,
    headers,
    ...json({ error: body }),
  })
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
  const huge = await image(4097, 1).png().toBuffer()
  const cases: [Given, string][] = [
    [
      error(400, { code: 'content_policy_violation', message: KEY, type: 'invalid_request_error' }),
      'cannot_be_served',
    ],
    [error(400, { code: 'moderation_blocked', type: 'image_generation_user_error' }), 'cannot_be_served'],
    [error(400, { code: 'billing_hard_limit_reached', type: 'invalid_request_error' }), 'upstream_failed'],
    [error(401, { code: 'invalid_api_key', message: KEY }), 'upstream_failed'],
    [error(429, { code: 'rate_limit_exceeded' }, { 'retry-after': '9' }), 'unavailable 9'],
    [json({ data: [] }), 'upstream_failed'],
    [json({ data: [{ b64_json: base64(Buffer.from(svg)) }] }), 'upstream_failed'],
    [json({ data: [{ b64_json: base64(huge) }] }), 'upstream_failed'],
    [json({ data: [{ b64_json: base64(huge.subarray(0, 40)) }] }), 'upstream_failed'],
  ]
  for (const [provided, expected] of cases)
    assert.equal(await refusalOf(answering(openai(), () => provided)), expected)
})

test('an upstream that takes too long is abandoned and reported as a timeout', async () => {
  assert.equal(await refusalOf(answering(openai({ timeoutMs: 20 }), () => null)), 'upstream_timeout')
})

test('without an upstream, and while its circuit is open, the endpoint is not sold', async () => {
  const problemOf = (ports: unknown) => {
    const availability = generateImage.availability?.(ports)
    return availability?.isAvailable === false ? availability.problem.code : null
  }
  assert.equal(problemOf({ imageMaker: null }), 'not_configured')
  const maker = openai()
  assert.equal(problemOf({ imageMaker: maker }), null)
  const ports = answering(maker, () => ({ status: 500, body: '' }))
  for (let failure = 0; failure < 5; failure += 1) await refusalOf(ports)
  assert.equal(problemOf(ports), 'unavailable')
})

test('invalid arguments are reported before payment', () => {
  const parametersOf = (provided: object) =>
    issuesOf(generateImage, { prompt: 'x', ...provided }).map(({ parameter }) => parameter)
  assert.deepEqual(parametersOf({ prompt: '\u{1f30a}'.repeat(4_000) }), [])
  assert.deepEqual(parametersOf({ prompt: 'x'.repeat(4_001) }), ['prompt'])
  assert.deepEqual(parametersOf({ prompt: ' \n' }), ['prompt'])
  assert.deepEqual(parametersOf({ aspect: '5:4' }), ['aspect'])
})
