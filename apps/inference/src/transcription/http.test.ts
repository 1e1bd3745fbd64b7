import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import { ProblemError } from '@tollbook/http/problem'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { findWavSamples } from '../sound/read-wav.ts'
import { createHttpTranscriber } from './http.ts'
import type { TranscriptionOrder } from './transcriber.ts'

type Asked = { readonly path: string; readonly key: string | undefined; readonly form: FormData }

/** The last request to the upstream, and its next answer. */
let requested: Asked | undefined
let next: { readonly status?: number; readonly body: string }

/** An upstream that reads real forms, and answers in the shapes that the dialect documents. */
const server = createServer(async (request, response) => {
  const blocks: Uint8Array[] = []
  for await (const block of request) blocks.push(block)
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(Buffer.concat(blocks), { headers }).formData()
  requested = { path: request.url ?? '', key: request.headers.authorization, form }
  response.writeHead(next.status ?? 200, { 'content-type': 'application/json', 'retry-after': '7' })
  response.end(next.body)
})
let url = ''
before(async () => {
  // As in a service, where the Response of @hono/node-server replaces the global one.
  getRequestListener(() => new Response())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const ORDER: TranscriptionOrder = {
  recording: { pcm: new Uint8Array(32_000), seconds: 1 },
  language: 'de',
  prompt: 'Namen',
  temperature: 0.2,
  needsWords: true,
}
const fetch = createSafeFetch({ allowPrivateNetwork: true })
const transcribe = (order = ORDER) =>
  createHttpTranscriber({ url, fetch, key: 'secret', model: 'whisper-1' }).transcribe(
    order,
    new AbortController().signal,
  )

/** The example of the API reference, audio/verbose-json-object, shortened. */
const VERBOSE = {
  task: 'transcribe',
  language: 'English',
  duration: 8.47,
  text: ' The beach was a popular spot. ',
  segments: [
    {
      id: 0,
      seek: 0,
      start: 0,
      end: 3.32,
      text: ' The beach was a popular spot.',
      tokens: [50364, 440],
      temperature: 0,
      avg_logprob: -0.28,
      compression_ratio: 1.2,
      no_speech_prob: null,
    },
  ],
  words: [{ word: 'The', start: 0, end: 0.2 }],
}

test('an upstream of the dialect receives one WAV with all options, and its answer is read', async () => {
  next = { body: JSON.stringify(VERBOSE) }
  const transcript = await transcribe()
  assert.deepEqual(transcript, {
    text: 'The beach was a popular spot.',
    language: 'english',
    segments: [
      {
        seek: 0,
        start: 0,
        end: 3.32,
        text: ' The beach was a popular spot.',
        tokens: [50364, 440],
        temperature: 0,
        avg_logprob: -0.28,
        compression_ratio: 1.2,
      },
    ],
    words: [{ word: 'The', start: 0, end: 0.2 }],
  })
  const { form, path, key } = requested ?? assert.fail()
  assert.deepEqual([path, key], ['/v1/audio/transcriptions', 'Bearer secret'])
  const { file, ...fields } = Object.fromEntries(form)
  assert.ok(file instanceof File)
  assert.deepEqual(findWavSamples(await file.bytes()), {
    encoding: 'integer',
    channels: 1,
    sampleRate: 16_000,
    sampleBytes: 2,
    start: 44,
    frames: 16_000,
  })
  assert.deepEqual(form.getAll('timestamp_granularities[]'), ['segment', 'word'])
  assert.deepEqual(
    [fields.model, fields.language, fields.prompt, fields.temperature, fields.response_format],
    ['whisper-1', 'de', 'Namen', '0.2', 'verbose_json'],
  )
})

test('an upstream that returns only text gives one segment', async () => {
  next = { body: '{"text":"Hello."}' }
  const { segments, language } = await transcribe({ ...ORDER, needsWords: false })
  assert.deepEqual([segments, language], [[{ start: 0, end: 1, text: 'Hello.' }], null])
})

test("failures are reported without the upstream's wording", async () => {
  for (const [answer, code] of [
    [{ status: 500, body: '{"error":"secret"}' }, 'upstream_failed'],
    [{ status: 401, body: '' }, 'upstream_failed'],
    [{ status: 429, body: '' }, 'unavailable'],
    [{ body: 'no JSON' }, 'upstream_failed'],
    [{ body: '{"text":7}' }, 'upstream_failed'],
  ] as const) {
    next = answer
    const error = await transcribe().catch((reason: unknown) => reason)
    assert.ok(error instanceof ProblemError)
    assert.equal(error.problem.code, code)
    assert.doesNotMatch(error.problem.detail, /secret/)
    if (code === 'unavailable') assert.equal(error.problem.retryAfterSeconds, 7)
  }
})
