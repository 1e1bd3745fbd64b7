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

let upstream: TestUpstream
let ask: Awaited<ReturnType<typeof openResponses>>
before(async () => {
  upstream = await startChatUpstream()
  ask = await openResponses(upstream)
})
beforeEach(() => {
  upstream.calls.splice(0)
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi' })))
})
after(() => upstream.close())

const sentMessages = () => upstream.calls[0]?.body.messages

// biome-ignore lint/suspicious/noExplicitAny: a test knows what it reads
function eventsOf(text: string): readonly any[] {
  return text
    .trimEnd()
    .split('\n\n')
    .map((event) => JSON.parse(event.split('\ndata: ')[1] ?? '{}'))
}

test('a text becomes a chat, and its answer a response', async () => {
  const { status, body } = await ask({ model: 'any', input: 'hello', instructions: 'Be short.' })
  const { id, object, model, created_at, completed_at, output, instructions, error, incomplete_details } =
    body
  assert.match(id, /^resp_[0-9a-f]{32}$/)
  assert.ok(created_at > 1_700_000_000)
  assert.ok(completed_at >= created_at)
  const text = { type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }
  const item = { id: id.replace('resp', 'msg').concat('_0'), type: 'message', status: 'completed' }
  assert.deepEqual(output, [{ ...item, role: 'assistant', content: [text] }])
  assert.deepEqual([status, object, model, instructions], [200, 'response', 'default', 'Be short.'])
  assert.deepEqual([body.status, error, incomplete_details], ['completed', null, null])
  assert.deepEqual(sentMessages(), [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'hello' },
  ])
})

test('items of a conversation with tools reach the model as the messages of a chat', async () => {
  const schema = { name: 'answer', strict: true, schema: { type: 'object' } }
  const { status, text } = await ask({
    instructions: 'Be short.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Use tools.' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'look' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{"at":9223372036854775807}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '*** Begin' },
      { type: 'function_call_output', call_id: 'a', output: 'sea' },
      {
        type: 'custom_tool_call_output',
        call_id: 'b',
        output: [{ type: 'input_text', text: 'done' }],
      },
    ],
    tools: [
      {
        type: 'function',
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object' },
        strict: false,
      },
      { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
    ],
    tool_choice: { type: 'function', name: 'look' },
    parallel_tool_calls: false,
    max_output_tokens: 100,
    temperature: 0.5,
    text: { format: { type: 'json_schema', ...schema }, verbosity: 'low' },
    reasoning: { effort: 'high' },
    store: false,
    include: ['reasoning.encrypted_content'],
    service_tier: 'auto',
    prompt_cache_key: 'k',
    safety_identifier: 's',
    client_metadata: { a: 'b' },
  })
  assert.equal(status, 200, text)
  const call = (id: string, name: string, text: string) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  })
  assert.deepEqual(upstream.calls[0]?.body, {
    model: 'upstream-model',
    stream: false,
    messages: [
      { role: 'system', content: 'Be short.\n\nUse tools.' },
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          call('a', 'look', '{"at":9223372036854775807}'),
          call('b', 'patch', '{"input":"*** Begin"}'),
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'sea' },
      { role: 'tool', tool_call_id: 'b', content: 'done' },
    ],
    max_tokens: 100,
    temperature: 0.5,
    tools: [
      {
        type: 'function',
        function: { name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: false },
      },
      {
        type: 'function',
        function: {
          name: 'patch',
          parameters: {
            type: 'object',
            properties: { input: { type: 'string' } },
            required: ['input'],
            additionalProperties: false,
          },
        },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'look' } },
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: schema },
    reasoning_effort: 'high',
    verbosity: 'low',
  })
})

test('the bounds of a tier apply, under the names of the dialect', async () => {
  const { status, body } = await ask({ input: 'hello', max_output_tokens: 511 }, '/v1/_t/tier-5/responses')
  assert.deepEqual([status, body.error.param], [400, 'max_output_tokens'])
  const wrong = await ask({ input: 'hello', model: 'tier-7' }, '/v1/_t/tier-5/responses')
  assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'model'])
})

test('a stream has the events of the dialect in order: reasoning, text and calls, each item whole at its end', async () => {
  const called = (index: number, id: string, name: string) => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
  })
  const argued = (index: number, text: string) => ({
    tool_calls: [{ index, function: { arguments: text } }],
  })
  const chunks = [
    toChunk({ role: 'assistant', reasoning_content: 'Hm' }),
    toChunk({ reasoning_content: '.' }),
    toChunk({ content: 'Let me' }),
    toChunk({ content: ' see.' }),
    toChunk(called(0, 'call_1', 'look')),
    toChunk(argued(0, '{"at":')),
    toChunk(argued(0, '"sea"}')),
    toChunk(called(1, 'call_2', 'patch')),
    toChunk(argued(1, '{"input":"*** Begin"}')),
    toChunk({}, 'tool_calls'),
  ]
  upstream.answerWith(sendPieces([...chunks.map(toEvent), 'data: [DONE]\n\n']))
  const tools = [
    { type: 'function', name: 'look', parameters: {} },
    { type: 'custom', name: 'patch' },
  ]
  const { text, headers } = await ask({ input: 'hello', stream: true, tools })
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
  const events = eventsOf(text)
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.reasoning_text.delta',
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.done',
      'response.output_item.done',
      'response.completed',
    ],
  )
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, at) => at),
  )
  const { response } = events.at(-1) ?? assert.fail()
  assert.deepEqual(
    response.output,
    events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : [])),
  )
  const [reasoning, message, look, patch] = response.output
  assert.deepEqual(reasoning.content, [{ type: 'reasoning_text', text: 'Hm.' }])
  assert.equal(message.content[0].text, 'Let me see.')
  assert.deepEqual([look.call_id, look.name, look.arguments], ['call_1', 'look', '{"at":"sea"}'])
  assert.deepEqual([patch.type, patch.call_id, patch.input], ['custom_tool_call', 'call_2', '*** Begin'])
  assert.ok(response.usage.input_tokens > 0 && response.usage.output_tokens > 0)
})

test('requested summaries carry the reasoning; the whole answer has the items of the stream', async () => {
  const message = { content: 'Hi', reasoning_content: 'Hm.' }
  upstream.answerWith(sendJson(toCompletion(message)))
  const request = { input: 'hello', reasoning: { summary: 'auto' } }
  const whole = await ask(request)
  assert.deepEqual(whole.body.output[0].summary, [{ type: 'summary_text', text: 'Hm.' }])
  upstream.answerWith(sendPieces([toChunk(message), toChunk({}, 'stop')].map(toEvent)))
  const { response } = eventsOf((await ask({ ...request, stream: true })).text).at(-1) ?? assert.fail()
  const withoutIds = (output: { id: string }[]) => output.map(({ id: _, ...rest }) => rest)
  assert.deepEqual(withoutIds(response.output), withoutIds(whole.body.output))
})

test('an answer that reached its bound, and a refused one, are incomplete', async () => {
  for (const [reason, named] of [
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const) {
    upstream.answerWith(sendJson(toCompletion({ content: 'Hi' }, reason)))
    const { body } = await ask({ input: 'hello' })
    assert.deepEqual([body.status, body.incomplete_details], ['incomplete', { reason: named }])
  }
  const endless = Array.from({ length: 400 }, () => toEvent(toChunk({ content: ' word word' })))
  upstream.answerWith(sendPieces(endless))
  const events = eventsOf((await ask({ input: 'hello', stream: true, max_output_tokens: 20 })).text)
  assert.equal(events.at(-1)?.type, 'response.incomplete')
  assert.deepEqual(events.at(-1)?.response.incomplete_details, { reason: 'max_output_tokens' })
})

test('failures of the upstream are reported without its wording', async () => {
  upstream.answerWith(sendJson({ error: { message: 'secret' } }, 500))
  const failed = await ask({ input: 'hello' })
  assert.equal(failed.status, 502)
  assert.doesNotMatch(failed.text, /secret/)
})
