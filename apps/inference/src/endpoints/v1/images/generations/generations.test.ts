import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { openImagesOf } from '@tollbook/testing/inference/open-images-of'
import { sendJson, startChatUpstream, type UpstreamAnswer } from '@tollbook/testing/models/chat-upstream'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { createWorkerPool } from '@tollbook/workers/pool'
import sharp from 'sharp'
import { createInferenceService } from '../../../../service.ts'

const BASE_URL = 'https://test.example'
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

/** The service with these upstreams in its models file. */
async function open(answers: readonly UpstreamAnswer[]) {
  const upstreams = await Promise.all(answers.map((answer) => startChatUpstream(answer)))
  const path = join(temporaryFolder('models'), 'models.json')
  const images = { upstreams: upstreams.map(({ url }) => ({ base_url: url, model: 'm', key: 'sk-1' })) }
  await writeFile(path, JSON.stringify(answers.length > 0 ? { images } : {}))
  const imageMaker = await openImagesOf(path, BASE_URL)
  const ports = inferencePorts({ workers, imageMaker })
  const service = await createInferenceService({ baseUrl: BASE_URL, ports })
  const { ask } = openService(service)
  return {
    upstreams,
    service,
    ports,
    ask: (body: object) => ask('/v1/images/generations', { method: 'POST', payer: TEST_PAYER, body }),
    close: () => upstreams.map(({ close }) => close()),
  }
}

/** The documented answer: https://platform.openai.com/docs/api-reference/images/create */
async function imageOf(width: number, height: number): Promise<UpstreamAnswer> {
  const jpeg = await sharp({ create: { width, height, channels: 3, background: '#0f766e' } })
    .jpeg()
    .toBuffer()
  return sendJson({
    created: 1_713_833_628,
    data: [{ b64_json: jpeg.toString('base64'), revised_prompt: 'A tall cliff' }],
  })
}

test('an image has the requested size, and the next upstream takes over from one that fails', async (t) => {
  const { upstreams, ask, close } = await open([sendJson({ error: {} }, 500), await imageOf(1536, 1024)])
  t.after(close)
  const { status, body } = await ask({ model: 'gpt-image-1', prompt: 'a cliff', size: '1536x1024', n: 1 })
  assert.equal(status, 200)
  assert.deepEqual(
    upstreams.map(({ calls: [call] }) => [call?.path, call?.headers.authorization, call?.body]),
    upstreams.map(() => [
      '/v1/images/generations',
      'Bearer sk-1',
      { model: 'm', prompt: 'a cliff', n: 1, size: '1536x1024' },
    ]),
  )
  assert.deepEqual(
    [body.size, body.output_format, body.data[0].revised_prompt],
    ['1536x1024', 'png', 'A tall cliff'],
  )
  const { format, width, height } = await sharp(Buffer.from(body.data[0].b64_json, 'base64')).metadata()
  assert.deepEqual([format, width, height], ['png', 1536, 1024])
})

test('a prompt that the upstream rejects is rejected, and not sent to the next one', async (t) => {
  const refusal = sendJson(
    { error: { code: 'moderation_blocked', type: 'image_generation_user_error' } },
    400,
  )
  const { upstreams, ask, close } = await open([refusal, await imageOf(1024, 1024)])
  t.after(close)
  assert.equal((await ask({ prompt: 'a cliff' })).status, 422)
  assert.equal(upstreams[1]?.calls.length, 0)
})

test('fields that change the price or the format are refused by name, and their defaults accepted', async (t) => {
  const { upstreams, ask, close } = await open([await imageOf(1024, 1024)])
  t.after(close)
  const refused = {
    n: 2,
    response_format: 'url',
    output_format: 'webp',
    output_compression: 50,
    quality: 'high',
    background: 'transparent',
    moderation: 'low',
    style: 'vivid',
    stream: true,
    partial_images: 1,
    size: '256x256',
    prompt: 'x'.repeat(4_001),
  }
  for (const [name, value] of Object.entries(refused)) {
    const { status, body } = await ask({ prompt: 'a cliff', [name]: value })
    assert.deepEqual([status, body.error.param], [400, name])
  }
  assert.equal(upstreams[0]?.calls.length, 0)
  const defaults = {
    n: 1,
    quality: 'auto',
    response_format: 'b64_json',
    size: 'auto',
    stream: false,
    user: 'u',
  }
  assert.equal((await ask({ prompt: 'a cliff', ...defaults })).body.size, '1024x1024')
})

test('without images in the models file it is not sold', async () => {
  const { service, ports } = await open([])
  const endpoint = service.endpoints.find(({ path }) => path === '/v1/images/generations')
  const availability = endpoint?.availability?.(ports) ?? assert.fail()
  assert.ok(!availability.isAvailable && availability.problem.code === 'not_configured')
})
