import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEmbedder } from '@tollbook/models/embeddings/open-embedder'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { sendJson, startChatUpstream, type UpstreamAnswer } from '@tollbook/testing/models/chat-upstream'
import OpenAI from 'openai'
import { createInferenceService } from '../../../service.ts'
import { embeddings } from './endpoint.ts'

/** Vectors that a 32-bit float holds exactly; in the documented form, in another order than the texts. */
const answerVectors: UpstreamAnswer = (call, response) => {
  const vectors = call.body.input.map((text: string, index: number) => ({
    object: 'embedding',
    index,
    embedding: [text.length, 0.5, -0.25],
  }))
  const usage = { prompt_tokens: 9, total_tokens: 9 }
  return sendJson({ object: 'list', data: vectors.toReversed(), model: 'm', usage })(call, response)
}

async function open(urls: readonly string[]) {
  const upstreams = urls.map((base_url) => ({ base_url, model: 'm' }))
  const file = tierFile.parse({ embeddings: { upstreams } })
  const embedder = await openEmbedder(file.embeddings ?? assert.fail(), { userAgent: 'test' })
  const service = await createInferenceService({
    baseUrl: 'https://test.example',
    ports: inferencePorts({ embedder }),
  })
  const { ask } = openService(service)
  return (body: object) => ask('/v1/embeddings', { method: 'POST', payer: TEST_PAYER, body })
}

test('the official SDK gets the vectors of its texts in their order, which it asks for as base64', async (t) => {
  const upstream = await startChatUpstream(answerVectors)
  t.after(upstream.close)
  const ask = await open([upstream.url])
  const openai = new OpenAI({
    apiKey: 'none',
    baseURL: 'https://test.example/v1',
    maxRetries: 0,
    fetch: async (_, init) => {
      const { status, text, headers } = await ask(JSON.parse(String(init?.body)))
      return new Response(text, { status, headers })
    },
  })
  const { data, usage } = await openai.embeddings.create({
    model: 'any',
    input: ['one', 'three'],
    dimensions: 3,
  })
  assert.deepEqual(
    data.map(({ embedding }) => [...embedding]),
    [
      [3, 0.5, -0.25],
      [5, 0.5, -0.25],
    ],
  )
  assert.equal(usage.total_tokens, 9)
  assert.deepEqual(upstream.calls[0]?.body, {
    model: 'm',
    input: ['one', 'three'],
    encoding_format: 'float',
    dimensions: 3,
  })
  const { body } = await ask({ input: 'one' })
  assert.deepEqual(body.data, [{ object: 'embedding', index: 0, embedding: [3, 0.5, -0.25] }])
})

test('without a model it is not sold, and texts beyond the limits are rejected by name', async (t) => {
  const none = embeddings.availability?.(inferencePorts()) ?? assert.fail()
  assert.ok(!none.isAvailable && none.problem.code === 'not_configured')
  const upstream = await startChatUpstream(answerVectors)
  t.after(upstream.close)
  const askOpen = await open([upstream.url])
  for (const input of ['a'.repeat(100_001), [], [''], [1, 2], Array.from({ length: 257 }, () => 'a')]) {
    const { status, body } = await askOpen({ input })
    assert.equal(status, 400)
    assert.match(body.error.param, /^input/)
  }
  assert.equal(upstream.calls.length, 0)
})

test('the next upstream takes over, and an answer with too few vectors is a failure', async (t) => {
  const [broken, sound] = [
    await startChatUpstream(sendJson({ data: [] })),
    await startChatUpstream(answerVectors),
  ]
  t.after(broken.close)
  t.after(sound.close)
  assert.equal((await (await open([broken.url, sound.url]))({ input: 'one' })).status, 200)
  assert.equal(broken.calls.length, 1)
  assert.equal((await (await open([broken.url]))({ input: 'one' })).status, 502)
})
