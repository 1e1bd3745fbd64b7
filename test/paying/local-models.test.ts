import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { parseUsd } from '@tollbook/chain/usdc'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { openAudio } from '@tollbook/inference/open/open-audio'
import { toWav } from '@tollbook/inference/sound/write-wav'
import { openModels } from '@tollbook/models/files/open-models'
import { loadConfig } from '@tollbook/runtime/config'
import { gather } from '@tollbook/testing/gather'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { buildScriptedWhisper } from '@tollbook/testing/inference/scripted-whisper'
import { llamaSkip, whisperSkip } from '@tollbook/testing/models/native-engines'
import { buildScriptedGguf, END } from '@tollbook/testing/models/scripted-gguf'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { createWorkerPool } from '@tollbook/workers/pool'
import OpenAI from 'openai'

const skip = llamaSkip() || whisperSkip()
const TIER = 'tier-3'
const CHAT_PRICE = parseUsd('0.003139')
const SAID = 'Hello from the scripted model.'
const messages = [{ role: 'user' as const, content: 'Say hello.' }]
const model = 'any'
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })

let folder = ''
let shop: Shop
let payer: Customer
let openai: OpenAI
before(async () => {
  if (skip !== false) return
  folder = await mkdtemp(join(tmpdir(), 'tollbook-local-models-'))
  const scripts = [
    ['\n', 'Hello', ' from', ' the', ' scripted', ' model', '.', END],
    ['?', '||call: ', 'look'],
  ]
  await writeFile(join(folder, 'scripted.gguf'), buildScriptedGguf(scripts))
  const script = [0, ' The', ' sea', ' is', ' deep', '.', 2]
  await writeFile(join(folder, 'scripted.bin'), buildScriptedWhisper({ script }))
  // As an operator writes it: the file of tiers names the model next to it.
  const local = { dialect: 'gguf', gpu: false, threads: 1, context_tokens: 1280 }
  const tiers = {
    [TIER]: { upstreams: [{ ...local, file: 'scripted.gguf' }] },
    'tier-4': { upstreams: [{ ...local, file: 'missing.gguf' }] },
  }
  await writeFile(join(folder, 'models.json'), JSON.stringify({ tiers }))
  const config = loadConfig({
    TOLLBOOK_MODELS_FILE: join(folder, 'models.json'),
    TOLLBOOK_WHISPER_FILE: join(folder, 'scripted.bin'),
    TOLLBOOK_WHISPER_THREADS: '1',
  })
  const baseUrl = 'https://test.example'
  const opened = await openModels(config, baseUrl)
  const { transcription } = await openAudio(config, baseUrl)
  const all = await loadEndpoints(new URL('../../apps/inference/src/', import.meta.url))
  const wanted = (id: string) => id === 'models' || id === 'audio.transcriptions' || id.startsWith('chat.')
  shop = await openShop({
    endpoints: all.filter(({ id }) => wanted(id)),
    ports: inferencePorts({ tiers: opened, transcription, workers }),
  })
  payer = await shop.newPayer()
  // On a busy machine, a health check ends before the model is loaded; a later one finds it.
  for (let round = 0; round < 600 && (await unpaidStatus()) === 503; round++) await delay(500)
  openai = new OpenAI({
    apiKey: 'none',
    baseURL: `${shop.seller.url}/v1/_t/${TIER}`,
    maxRetries: 0,
    fetch: shop.stockClient(payer).over(fetch),
  })
})
after(async () => {
  await shop?.close()
  await workers.close()
  if (folder !== '') await rm(folder, { recursive: true, force: true })
})

async function unpaidStatus(): Promise<number> {
  const url = `${shop.seller.url}/v1/_t/${TIER}/chat/completions`
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ model, messages }) })).status
}

test('the official SDK buys answers of a local model, whole and streamed', { skip }, async () => {
  const earned = await shop.earnedBy(async () => {
    const answer = await openai.chat.completions.create({ model, messages, max_tokens: 64 })
    assert.equal(answer.choices[0]?.message.content, SAID)
    // The prompt has 30 tokens, as the model's own test counts them; six words and an end.
    assert.deepEqual([answer.usage?.prompt_tokens, answer.usage?.completion_tokens], [30, 7])
    const chunks = await gather(
      await openai.chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options: { include_usage: true },
      }),
    )
    assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), SAID)
    assert.equal(chunks.at(-1)?.usage?.completion_tokens, 7)
  })
  assert.equal(earned, 2n * CHAT_PRICE)
})

test('the official SDK buys a JSON schema, a tool call and a stop sequence', { skip }, async () => {
  const schema = { type: 'object', properties: { colour: { enum: ['red', 'blue'] } }, required: ['colour'] }
  const parameters = { type: 'object', properties: { at: { enum: ['sea', 'sky'] } } }
  const earned = await shop.earnedBy(async () => {
    const made = await openai.chat.completions.create({
      model,
      messages,
      max_tokens: 200,
      response_format: { type: 'json_schema', json_schema: { name: 'colour', schema, strict: true } },
    })
    assert.match(JSON.parse(made.choices[0]?.message.content ?? '').colour, /^(?:red|blue)$/)
    const called = await openai.chat.completions.create({
      model,
      max_tokens: 200,
      parallel_tool_calls: false,
      messages: [...messages, { role: 'assistant', content: '?' }],
      tools: [{ type: 'function', function: { name: 'look', parameters } }],
    })
    const [choice] = called.choices
    assert.equal(choice?.finish_reason, 'tool_calls')
    const call = choice?.message.tool_calls?.[0]
    assert.ok(call?.type === 'function' && call.function.name === 'look')
    assert.match(JSON.parse(call.function.arguments).at, /^(?:sea|sky)$/)
    const cut = await openai.chat.completions.create({ model, messages, stop: ' model' })
    assert.equal(cut.choices[0]?.message.content, 'Hello from the scripted')
  })
  assert.equal(earned, 3n * CHAT_PRICE)
})

test('a parameter that a local model does not support is rejected by name, and nothing is charged', {
  skip,
}, async () => {
  const tools = [{ type: 'function' as const, function: { name: 'look' } }]
  const image = { type: 'image_url' as const, image_url: { url: 'https://images.example/a.png' } }
  const pattern = { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } }
  const json_schema = { name: 'x', schema: pattern }
  const cases: readonly (readonly [Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, string])[] = [
    [{ logprobs: true }, 'logprobs'],
    [{ logprobs: true, top_logprobs: 3 }, 'top_logprobs'],
    [{ reasoning_effort: 'low' }, 'reasoning_effort'],
    [{ tools, tool_choice: 'required' }, 'tool_choice'],
    [{ tools, response_format: { type: 'json_object' } }, 'response_format'],
    [{ response_format: { type: 'json_schema', json_schema } }, 'response_format.json_schema.schema'],
    [{ messages: [{ role: 'user', content: [image] }] }, 'messages.0.content.0'],
  ]
  const earned = await shop.earnedBy(async () => {
    for (const [more, parameter] of cases) {
      const error = await openai.chat.completions
        .create({ model, messages, ...more })
        .catch((reason: unknown) => reason)
      assert.ok(error instanceof OpenAI.BadRequestError, parameter)
      assert.equal(error.param, parameter)
    }
    const long = [{ role: 'user' as const, content: 'a'.repeat(1500) }]
    await assert.rejects(openai.chat.completions.create({ model, messages: long }), (error) => {
      assert.ok(error instanceof OpenAI.UnprocessableEntityError)
      assert.match(error.message, /longer than the model's context/)
      return true
    })
  })
  assert.equal(earned, 0n)
})

test('a tier whose file is missing answers 503 before any payment, and the free list reports it', {
  skip,
}, async () => {
  const headers = { 'content-type': 'application/json' }
  const post = { method: 'POST', headers, body: JSON.stringify({ messages }) }
  const response = await fetch(`${shop.seller.url}/v1/chat/completions/_t/tier-4`, post)
  assert.equal(response.status, 503)
  const list = new OpenAI({ apiKey: 'none', baseURL: `${shop.seller.url}/v1` })
  const available = (await gather(list.models.list())).filter((one) => 'available' in one && one.available)
  assert.deepEqual(
    available.map(({ id }) => id),
    [TIER, `${TIER}/upto`],
  )
})

test('the official SDK buys a transcript of a local whisper, in its own language only', {
  skip,
}, async () => {
  const audio = new OpenAI({
    apiKey: 'none',
    baseURL: `${shop.seller.url}/v1`,
    maxRetries: 0,
    fetch: shop.stockClient(payer).over(fetch),
  })
  // Swells like four syllables a second: steady tones are refused as no speech.
  const swell = (at: number) => Math.sin((Math.PI * 4 * at) / 16_000) ** 2
  const samples = Int16Array.from({ length: 32_000 }, (_, at) =>
    Math.round(Math.sin(at / 5) * 9000 * swell(at)),
  )
  const wav = toWav(new Uint8Array(samples.buffer), 16_000)
  const recording = () => new File([new Uint8Array(wav)], 'sea.wav')
  const earned = await shop.earnedBy(async () => {
    const heard = await audio.audio.transcriptions.create({
      file: recording(),
      model: 'whisper-1',
      response_format: 'verbose_json',
      language: 'en',
      prompt: 'unknown',
      temperature: 0,
      timestamp_granularities: ['word', 'segment'],
    })
    assert.equal(heard.text, 'The sea is deep.')
    assert.deepEqual([heard.language, heard.duration], ['english', 2])
    assert.deepEqual(
      heard.words?.map(({ word }) => word),
      ['The', 'sea', 'is', 'deep.'],
    )
    assert.deepEqual(
      heard.segments?.map(({ text, end }) => [text, end]),
      [[' The sea is deep.', 2]],
    )
    assert.ok('engine' in heard && heard.engine === 'whisper')
    const german = audio.audio.transcriptions.create({
      file: recording(),
      model: 'whisper-1',
      language: 'de',
    })
    await assert.rejects(german, (error) => error instanceof OpenAI.APIError && error.param === 'language')
  })
  assert.equal(earned, parseUsd('0.015'))
})
