import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gather } from '@tollbook/testing/gather'
import { llamaSkip } from '@tollbook/testing/models/native-engines'
import { buildScriptedGguf, END } from '@tollbook/testing/models/scripted-gguf'
import { Ajv } from 'ajv'
import type { ChatRequest } from '../chat/chat-messages.ts'
import type { ChatUpstream } from '../chat/chat-upstream.ts'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import { createGgufUpstream, type GgufOptions } from './gguf-upstream.ts'

const skip = llamaSkip()
const NEVER = new AbortController().signal
const QUESTION = { messages: [{ role: 'user', content: 'Say hello.' }] }
/** The model continues the last message: after `+` this model never stops. */
const ENDLESS = { messages: [...QUESTION.messages, { role: 'assistant', content: '+' }] }

let folder = ''
let model: ChatUpstream
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-gguf-'))
  const scripts = [
    ['\n', 'Hello', ' from', ' the', ' scripted', ' model', '.', END],
    ['+', ' on', ' and', ' on'],
    ['?', '||call: ', 'look'],
  ]
  await writeFile(join(folder, 'scripted.gguf'), buildScriptedGguf(scripts))
  model = open({})
})
after(() => rm(folder, { recursive: true, force: true }))

function open(more: Partial<GgufOptions>): ChatUpstream {
  return createGgufUpstream({
    file: join(folder, 'scripted.gguf'),
    contextTokens: 1280,
    threads: 1,
    gpu: false,
    sequences: 2,
    maxWaiting: 1,
    firstTokenMs: 900_000,
    totalMs: 900_000,
    ...more,
  })
}

async function ask(more: object, question: ChatRequest = QUESTION) {
  const { choices, usage } = await model.complete({ ...question, ...more }, NEVER)
  const [choice] = choices
  return { content: String(choice?.message.content), reason: choice?.finish_reason, usage, choice }
}

test('a model in a file is loaded, answers with its scripted words, and counts its tokens', {
  skip,
}, async () => {
  let isAlive = await model.isAlive()
  // On a loaded machine a check can end before the model is loaded.
  while (!isAlive && model.explain?.() === 'the model is still loading') isAlive = await model.isAlive()
  assert.equal(isAlive, true, model.explain?.() ?? '')
  assert.equal(model.explain?.(), null)
  const { content, reason, usage } = await ask({})
  assert.deepEqual([content, reason], ['Hello from the scripted model.', 'stop'])
  // ChatML, with one token per byte: a begin token, <|im_start|> and `user\n` (1 + 1 + 5), the question (10),
  // <|im_end|> and `\n` (2), <|im_start|> and `assistant\n` (1 + 10). The answer: six words and its end.
  assert.deepEqual(usage, {
    prompt_tokens: 30,
    completion_tokens: 7,
    total_tokens: 37,
    prompt_tokens_details: { cached_tokens: 0 },
  })
  // All but the last token of the prompt are cached.
  assert.equal((await ask({})).usage?.prompt_tokens_details?.cached_tokens, 29)
})

test('a stream delivers each token as it is generated, then its finish_reason and usage', {
  skip,
}, async () => {
  const chunks = await gather(await model.stream(QUESTION, NEVER))
  assert.deepEqual(
    chunks.map(({ choices }) => choices[0]?.delta?.content ?? choices[0]?.finish_reason ?? choices.length),
    ['', 'Hello', ' from', ' the', ' scripted', ' model', '.', 'stop', 0],
  )
  assert.equal(chunks.at(-1)?.usage?.total_tokens, 37)
})

test('an answer ends before a stop text, which may start within a token, and at max_tokens', {
  skip,
}, async () => {
  const ends = async (more: object) => {
    const { content, reason } = await ask(more)
    return [content, reason]
  }
  assert.deepEqual(await ends({ stop: ' scripted' }), ['Hello from the', 'stop'])
  assert.deepEqual(await ends({ stop: ['nothing', 'ted mo'] }), ['Hello from the scrip', 'stop'])
  assert.deepEqual(await ends({ max_tokens: 2 }), ['Hello from', 'length'])
})

test('if the caller disconnects, the model stops and its slot is free again', { skip }, async () => {
  for (const _ of [1, 2, 3]) {
    const caller = new AbortController()
    const read = async () => {
      for await (const { choices } of await model.stream(ENDLESS, caller.signal))
        if (choices[0]?.delta?.content === ' and') caller.abort(new Error('gone'))
    }
    await assert.rejects(read(), { message: 'gone' })
    for await (const _ of await model.stream(ENDLESS, NEVER)) break
  }
  assert.equal((await ask({})).reason, 'stop')
})

test('with two slots, two answers run, one waits, and a further one is rejected as busy', {
  skip,
}, async () => {
  const settled = await Promise.allSettled(Array.from({ length: 4 }, () => ask({ max_tokens: 100 }, ENDLESS)))
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value.reason : one.reason instanceof ModelBusy)),
    ['length', 'length', 'length', true],
  )
})

test('a grammar turns random output into what the schema requires', { skip }, async () => {
  const schema = {
    type: 'object',
    title: 'A colour',
    properties: {
      colour: { enum: ['red', 'blue'], description: 'Of the sea.' },
      depth: { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/words' }] },
      seen: { type: ['object', 'null'], properties: { at: { type: 'string', maxLength: 3 } } },
    },
    $defs: { words: { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 } },
    required: ['colour'],
    additionalProperties: false,
  }
  const isValid = new Ajv({ strict: false }).compile(schema)
  const seeds = [1, 2, 3, 1]
  const answers: string[] = []
  for (const seed of seeds) {
    const response_format = { type: 'json_schema', json_schema: { name: 'colour', schema } }
    const { content, reason } = await ask({ response_format, seed, max_tokens: 400 })
    assert.equal(reason, 'stop', content)
    assert.ok(isValid(JSON.parse(content)), content)
    answers.push(content)
  }
  assert.equal(answers[0], answers[3], 'the same seed produces the same answer')
  assert.ok(new Set(answers).size > 1, 'another seed another')
  const { content } = await ask({ response_format: { type: 'json_object' }, seed: 5, max_tokens: 2000 })
  assert.equal(typeof JSON.parse(content), 'object')
})

test('a tool is called with arguments that match its schema, and its result is read', { skip }, async () => {
  const at = { enum: ['sea', 'sky'] }
  const parameters = { type: 'object', properties: { at }, required: ['at'] }
  const tools = [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters } }]
  const messages = [...QUESTION.messages, { role: 'assistant', content: '?' }]
  const { choice, reason } = await ask({ tools, max_tokens: 200, parallel_tool_calls: false }, { messages })
  assert.equal(reason, 'tool_calls')
  type Call = {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }
  const call = (choice?.message.tool_calls as Call[] | undefined)?.[0]
  assert.equal(call?.function.name, 'look')
  assert.ok(at.enum.includes(JSON.parse(call?.function.arguments ?? '').at))
  const after = [
    ...QUESTION.messages,
    { role: 'assistant', content: null, tool_calls: [{ ...call, type: 'function' }] },
    { role: 'tool', tool_call_id: call?.id, content: 'water' },
  ]
  assert.equal((await ask({ tools }, { messages: after })).reason, 'stop')
  assert.equal((await ask({ tools, tool_choice: 'none' })).content, 'Hello from the scripted model.')
})

test('logit bias and penalties reach the model', { skip }, async () => {
  // Of the 256 byte tokens, number 70 is F.
  assert.equal((await ask({ logit_bias: { '70': 100 }, max_tokens: 3 })).content, 'FFF')
  const often = await ask({ max_tokens: 40, temperature: 0 }, ENDLESS)
  const seldom = await ask(
    { max_tokens: 40, temperature: 0, frequency_penalty: 2, presence_penalty: 2 },
    ENDLESS,
  )
  assert.equal(often.content, ' on and'.repeat(20))
  assert.notEqual(seldom.content, often.content)
})

test('a prompt longer than the context is rejected, by its bytes if it is very long', {
  skip,
}, async () => {
  for (const length of [1280, 200_000]) {
    const messages = [{ role: 'user', content: 'a'.repeat(length) }]
    await assert.rejects(ask({}, { messages }), (error) => error instanceof ModelRefused && error.isTooLong)
  }
  // 16 tokens stay free; the prompt has 20 tokens besides the letters and the `+`: 1280 - 16 - 1225 = 39.
  const messages = [{ role: 'user', content: 'a'.repeat(1204) }, ...ENDLESS.messages.slice(1)]
  const { reason, usage } = await ask({ max_tokens: 100_000 }, { messages })
  assert.deepEqual([reason, usage?.prompt_tokens, usage?.completion_tokens], ['length', 1225, 39])
})

test('an answer that starts too late or takes too long times out', { skip }, async () => {
  const late = (error: unknown) => error instanceof ModelFailed && error.isLate
  const slow = open({ contextTokens: 32_768, totalMs: 150 })
  // The model is not even loaded by then.
  await assert.rejects(slow.complete(ENDLESS, NEVER), late)
  await assert.rejects(async () => gather(await slow.stream(ENDLESS, NEVER)), late)
})

test('a missing or corrupt file is not a model, and the operator sees why', { skip }, async () => {
  const whole = buildScriptedGguf([['\n', 'Hi', END]])
  for (const [name, bytes, words] of [
    ['missing.gguf', null, /missing\.gguf cannot be read/],
    ['text.gguf', Buffer.from('no model'), /text\.gguf is not a GGUF file/],
    ['cut.gguf', whole.subarray(0, whole.length / 2), /llama\.cpp cannot load .*cut\.gguf/],
  ] as const) {
    const file = join(folder, name)
    if (bytes) await writeFile(file, bytes)
    const broken = open({ file })
    assert.equal(await broken.isAlive(), false)
    assert.match(broken.explain?.() ?? '', words)
    await assert.rejects(broken.complete(QUESTION, NEVER), ModelFailed)
  }
})
