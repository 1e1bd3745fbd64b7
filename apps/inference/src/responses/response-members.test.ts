import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openResponses } from '@tollbook/testing/inference/open-responses'
import {
  sendJson,
  sendPieces,
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toCompletion,
  toEvent,
} from '@tollbook/testing/models/chat-upstream'

/**
 * The members of a response, all of them required, by the types they may have: `ResponseResource` of OpenResponses
 * (https://www.openresponses.org/specification, schema/responses.tsp at 3533b21), and `Response` of OpenAI's OpenAPI
 * 2.3.0, which requires fewer.
 */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  id: ['string'],
  object: ['string'],
  created_at: ['integer'],
  completed_at: ['integer', 'null'],
  status: ['string'],
  incomplete_details: ['object', 'null'],
  model: ['string'],
  previous_response_id: ['string', 'null'],
  instructions: ['string', 'null'],
  output: ['array'],
  error: ['object', 'null'],
  tools: ['array'],
  tool_choice: ['string', 'object'],
  truncation: ['string'],
  parallel_tool_calls: ['boolean'],
  text: ['object'],
  top_p: ['integer', 'number'],
  presence_penalty: ['integer', 'number'],
  frequency_penalty: ['integer', 'number'],
  top_logprobs: ['integer'],
  temperature: ['integer', 'number'],
  reasoning: ['object', 'null'],
  usage: ['object', 'null'],
  max_output_tokens: ['integer', 'null'],
  max_tool_calls: ['integer', 'null'],
  store: ['boolean'],
  background: ['boolean'],
  service_tier: ['string'],
  metadata: ['object'],
  safety_identifier: ['string', 'null'],
  prompt_cache_key: ['string', 'null'],
}
/** `FunctionTool` of both. */
const TOOL_MEMBERS = {
  type: ['string'],
  name: ['string'],
  description: ['string', 'null'],
  parameters: ['object', 'null'],
  strict: ['boolean', 'null'],
}
/** `Usage` of OpenResponses, and the details of OpenAI's `ResponseUsage`. */
const USAGE = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 2,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 7,
}

let upstream: TestUpstream
let ask: Awaited<ReturnType<typeof openResponses>>
before(async () => {
  upstream = await startChatUpstream()
  ask = await openResponses(upstream)
})
beforeEach(() => upstream.answerWith(sendJson(toCompletion({ content: 'Hi' }))))
after(() => upstream.close())

const typeOf = (value: unknown) => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function assertMembers(
  object: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, readonly string[]>>,
) {
  for (const [name, types] of Object.entries(members))
    assert.ok(types.includes(typeOf(object[name])), `${name} is ${JSON.stringify(object[name])}`)
}

test('a response has every member that clients require, also without the optional fields of the request', async () => {
  const { status, body, text } = await ask({ input: 'hello', tools: [{ type: 'function', name: 'look' }] })
  assert.equal(status, 200, text)
  assertMembers(body, MEMBERS)
  assertMembers(body.tools[0], TOOL_MEMBERS)
  assert.deepEqual(body.usage, USAGE)
  // OpenAI's schema has no null for it, that of OpenResponses no such member.
  assert.ok(!('user' in body))
  assert.ok(body.completed_at >= body.created_at)
  assert.deepEqual(
    [body.temperature, body.top_p, body.presence_penalty, body.frequency_penalty],
    [1, 1, 0, 0],
  )
  assert.deepEqual([body.service_tier, body.background, body.top_logprobs], ['default', false, 0])
})

test('a response returns the settings of its request', async () => {
  const tool = {
    type: 'function',
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object' },
    strict: true,
  }
  const settings = {
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 0.25,
    frequency_penalty: -0.25,
    safety_identifier: 'person-1',
    prompt_cache_key: 'cache-1',
    user: 'person',
    tools: [tool],
  }
  const { status, body, text } = await ask({
    input: 'hello',
    ...settings,
    service_tier: 'auto',
    background: false,
  })
  assert.equal(status, 200, text)
  assertMembers(body, MEMBERS)
  for (const [name, value] of Object.entries(settings)) assert.deepEqual(body[name], value, name)
  const { presence_penalty, frequency_penalty } = upstream.calls.at(-1)?.body ?? {}
  assert.deepEqual([presence_penalty, frequency_penalty], [0.25, -0.25])
})

test('every response in the events of a stream has the same members', async () => {
  const chunks = [toChunk({ role: 'assistant', content: 'Hi' }), toChunk({}, 'stop')]
  upstream.answerWith(sendPieces([...chunks.map(toEvent), 'data: [DONE]\n\n']))
  const { text } = await ask({ input: 'hello', stream: true })
  const events = text
    .trimEnd()
    .split('\n\n')
    .map((event) => JSON.parse(event.split('\ndata: ')[1] ?? '{}'))
  const responses = events.flatMap(({ type, response }) => (response ? [{ type, response }] : []))
  assert.deepEqual(
    responses.map(({ type, response }) => [type, typeOf(response.completed_at), typeOf(response.usage)]),
    [
      ['response.created', 'null', 'null'],
      ['response.in_progress', 'null', 'null'],
      ['response.completed', 'integer', 'object'],
    ],
  )
  for (const { response } of responses) assertMembers(response, MEMBERS)
})

test('an incomplete response has no time of completion', async () => {
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi' }, 'length')))
  const { body } = await ask({ input: 'hello' })
  assert.deepEqual([body.status, body.completed_at], ['incomplete', null])
})
