import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbedder } from '@tollbook/models/embeddings/open-embedder'
import { loadTierFile } from '@tollbook/models/tiers/tier-file'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { llamaSkip } from '@tollbook/testing/models/native-engines'
import { buildScriptedGguf } from '@tollbook/testing/models/scripted-gguf'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { createInferenceService } from '../../../service.ts'

const skip = llamaSkip()
const CONTEXT = 256

async function open(bytes: Uint8Array) {
  const folder = temporaryFolder('gguf-embeddings')
  writeFileSync(join(folder, 'tiny.gguf'), bytes)
  const upstreams = [{ dialect: 'gguf', file: 'tiny.gguf', gpu: false, threads: 1 }]
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ embeddings: { upstreams } }))
  const { embeddings } = await loadTierFile(join(folder, 'models.json'), [])
  const embedder = await openEmbedder(embeddings ?? assert.fail(), {
    userAgent: 'test',
    health: { probeAgeMs: 0, probeTimeoutMs: 600_000 },
  })
  // A slow machine may need several probes until the model is loaded.
  while (bytes.length > 100 && !embedder.isReady()) await delay(50)
  const service = await createInferenceService({
    baseUrl: 'https://test.example',
    ports: inferencePorts({ embedder }),
  })
  const { ask } = openService(service)
  return {
    embedder,
    ask: (body: object) => ask('/v1/embeddings', { method: 'POST', payer: TEST_PAYER, body }),
  }
}

/** Of the words without their order: each of this model's tokens is a byte, whose vector is one-hot. */
function cosineOfCounts(one: string, other: string): number {
  const count = (text: string, byte: number) => Buffer.from(text).filter((each) => each === byte).length
  const dot = (a: string, b: string) =>
    Array.from({ length: 256 }, (_, byte) => count(a, byte) * count(b, byte)).reduce((x, y) => x + y)
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
}

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

test('vectors of a GGUF file are the mean of their tokens, of length 1, and independent of the batch', {
  skip,
}, async () => {
  const { ask } = await open(buildScriptedGguf([], CONTEXT))
  const texts = ['aab', 'ab', 'zz', 'Grüße, Welt', 'aab']
  const { status, body } = await ask({ input: texts })
  assert.equal(status, 200)
  const vectors: number[][] = body.data.map(({ embedding }: { embedding: number[] }) => embedding)
  for (const [at, one] of vectors.entries())
    for (const [index, other] of vectors.entries()) {
      const expected = cosineOfCounts(texts[at] ?? '', texts[index] ?? '')
      assert.ok(Math.abs(dot(one, other) - expected) < 1e-3, `${texts[at]}, ${texts[index]}: ${expected}`)
    }
  assert.deepEqual(vectors[0], vectors[4])
  for (const [at, text] of texts.entries())
    assert.deepEqual((await ask({ input: text })).body.data[0].embedding, vectors[at])
  // A token for each byte.
  assert.equal(body.usage.prompt_tokens, Buffer.byteLength(texts.join('')))
})

test('other dimensions are refused before payment, and a text beyond the context without charge', {
  skip,
}, async () => {
  const { ask, embedder } = await open(buildScriptedGguf([], CONTEXT))
  const { vectors } = await embedder.embed({ inputs: ['a'] }, new AbortController().signal)
  const size = vectors[0]?.length ?? 0
  const refused = await ask({ input: 'a', dimensions: size - 1 })
  assert.equal(refused.status, 400)
  assert.equal(refused.body.error.param, 'dimensions')
  assert.equal((await ask({ input: 'a', dimensions: size })).status, 200)
  const long = await ask({ input: ['a', 'a'.repeat(CONTEXT)] })
  assert.equal(long.status, 422)
  assert.equal((await ask({ input: 'a'.repeat(CONTEXT - 2) })).status, 200)
})

test('a file that is not a model is not sold, and the reason is for the operator', async () => {
  const { ask, embedder } = await open(Buffer.from('no model'))
  assert.match(embedder.notes()[0] ?? '', /tiny\.gguf is not a GGUF file/)
  assert.equal((await ask({ input: 'a' })).status, 503)
})
