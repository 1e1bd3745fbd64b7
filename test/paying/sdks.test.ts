import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { Agent, tool as agentTool, Runner } from '@openai/agents-core'
import { OpenAIProvider } from '@openai/agents-openai'
import { parseUsd } from '@tollbook/chain/usdc'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { openEmbedder } from '@tollbook/models/embeddings/open-embedder'
import { createOpenaiImages } from '@tollbook/models/images/openai-images'
import { withBreaker } from '@tollbook/models/images/upstream'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { sendJson, startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { createWorkerPool } from '@tollbook/workers/pool'
import { isStepCount, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { zodFunction } from 'openai/helpers/zod'
import sharp from 'sharp'
import * as z from 'zod'
import { type OpenProxy, openProxy } from './open-proxy.ts'
import { callToolThenAnswer, TOOL_CALLS } from './tool-loop.ts'

/** Specification 4.5; embeddings and images are priced in test/price-table.test.ts. */
const PRICES = {
  'tier-3': parseUsd('0.003139'),
  'tier-9': parseUsd('0.010497'),
  messages: parseUsd('0.01'),
  embeddings: parseUsd('0.001'),
  images: parseUsd('0.07'),
}
const PROMPT = 'Look three times.'
const SAID = 'saw-0 saw-1 saw-2'
/** Each call of the tool is a step, and so is the answer. */
const STEPS = BigInt(TOOL_CALLS + 1)

let upstream: TestUpstream
let shop: Shop
let proxy: OpenProxy
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
before(async () => {
  const png = await sharp({ create: { width: 1024, height: 1024, channels: 3, background: '#0f766e' } })
    .png()
    .toBuffer()
  upstream = await startChatUpstream((call, response) => {
    if (call.path === '/v1/embeddings') {
      const data = [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }]
      return sendJson({ object: 'list', data, usage: { prompt_tokens: 2, total_tokens: 2 } })(call, response)
    }
    if (call.path === '/v1/images/generations')
      return sendJson({ created: 1, data: [{ b64_json: png.toString('base64') }] })(call, response)
    return callToolThenAnswer(call, response)
  })
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const { tiers, embeddings } = tierFile.parse({
    tiers: { 'tier-3': { upstreams }, 'tier-9': { upstreams }, messages: { upstreams } },
    embeddings: { upstreams },
  })
  const options = { userAgent: 'test', health: patientHealth }
  const opened = await openTiers({ tiers }, options)
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const images = createOpenaiImages({ url: upstream.url, fetch, fetchPublic: fetch, sizes: [] })
  const ports = inferencePorts({
    workers,
    tiers: opened,
    embedder: await openEmbedder(embeddings ?? assert.fail(), options),
    imageMaker: withBreaker(images),
  })
  shop = await openShop({
    endpoints: await loadEndpoints(new URL('../../apps/inference/src/', import.meta.url)),
    ports,
  })
  proxy = await openProxy(shop)
})
after(async () => {
  await proxy?.close()
  await shop?.close()
  await workers.close()
  upstream.close()
})

/** Does it, and checks what it cost on the chain. */
async function costing(price: bigint, work: () => Promise<unknown>): Promise<void> {
  const before = await proxy.spentOnChain()
  await work()
  assert.equal((await proxy.spentOnChain()) - before, price)
}

const lookResult = ({ at }: { readonly at: number }) => `saw-${at}`
const lookInput = z.object({ at: z.int() })

test('openai: chats, responses, embeddings and images, with the tier as the model', async () => {
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${proxy.url}/v1`, maxRetries: 0 })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: PROMPT }]
  await costing(PRICES['tier-9'] * STEPS, async () => {
    const runner = openai.chat.completions.runTools({
      model: 'tier-9',
      stream: true,
      messages,
      tools: [zodFunction({ name: 'look', parameters: lookInput, function: lookResult })],
    })
    assert.equal(await runner.finalContent(), SAID)
  })
  await costing(PRICES['tier-3'], async () => {
    const stream = openai.responses.stream({ model: 'tier-3', input: PROMPT })
    assert.equal((await stream.finalResponse()).model, 'tier-3')
  })
  await costing(PRICES.embeddings, async () => {
    const { data } = await openai.embeddings.create({ model: 'any', input: 'hello' })
    assert.deepEqual([...(data[0]?.embedding ?? [])], [0.5, -0.25])
  })
  await costing(PRICES.images, async () => {
    const { data } = await openai.images.generate({ model: 'any', prompt: 'a cliff', size: '1024x1024' })
    const { width, format } = await sharp(Buffer.from(data?.[0]?.b64_json ?? '', 'base64')).metadata()
    assert.deepEqual([width, format], [1024, 'png'])
  })
})

test('@openai/agents runs a streamed tool loop, and each step costs the tier of its model', async () => {
  const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: `${proxy.url}/v1` })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const look = agentTool({
    name: 'look',
    description: 'Looks',
    parameters: lookInput,
    execute: lookResult,
  })
  const agent = new Agent({ name: 'looker', model: 'tier-3', instructions: 'Look.', tools: [look] })
  await costing(PRICES['tier-3'] * STEPS, async () => {
    const result = await runner.run(agent, PROMPT, { stream: true })
    let deltas = ''
    for await (const event of result)
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
        deltas += event.data.delta
    await result.completed
    assert.deepEqual([result.finalOutput, deltas], [SAID, SAID])
  })
})

test('@ai-sdk/openai streams a tool loop, as responses and as chats', async () => {
  const provider = createOpenAI({ apiKey: 'none', baseURL: `${proxy.url}/v1` })
  const tools = { look: tool({ inputSchema: lookInput, execute: lookResult }) }
  for (const model of [provider('tier-3'), provider.chat('tier-3')])
    await costing(PRICES['tier-3'] * STEPS, async () => {
      const { text, steps } = streamText({
        model,
        prompt: PROMPT,
        tools,
        stopWhen: isStepCount(10),
        maxRetries: 0,
        // Without it the SDK refers to items of earlier answers by id.
        providerOptions: { openai: { store: false } },
      })
      assert.equal(await text, SAID)
      assert.equal((await steps).length, Number(STEPS))
    })
})

test('@anthropic-ai/sdk runs a streamed tool loop', async () => {
  const anthropic = new Anthropic({ apiKey: 'none', baseURL: proxy.url, maxRetries: 0 })
  const tools: Anthropic.Tool[] = [{ name: 'look', input_schema: { type: 'object' } }]
  for (const [model, price] of [['any', PRICES.messages] as const, ['tier-9', PRICES['tier-9']] as const]) {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: PROMPT }]
    await costing(price * STEPS, async () => {
      for (let step = 1n; step <= STEPS; step++) {
        const request = { model, max_tokens: 64, messages, tools }
        const { content } = await anthropic.messages.stream(request).finalMessage()
        const results = content.flatMap((block): Anthropic.ToolResultBlockParam[] =>
          block.type === 'tool_use'
            ? [
                {
                  type: 'tool_result',
                  tool_use_id: block.id,
                  content: lookResult(lookInput.parse(block.input)),
                },
              ]
            : [],
        )
        messages.push({ role: 'assistant', content }, { role: 'user', content: results })
      }
    })
    const [last] = messages.at(-2)?.content ?? []
    assert.equal(typeof last === 'object' && last.type === 'text' && last.text, SAID)
  }
})
