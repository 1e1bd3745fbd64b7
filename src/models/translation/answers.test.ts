import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCompletion as toChatAnswer } from '../../../test/models/chat-upstream.ts'
import { fc } from '../../../test/property.ts'
import { chatCompletion } from '../chat/chat-messages.ts'
import { ModelFailed } from '../failure.ts'
import { type Message, message as messageSchema } from '../messages/answer.ts'
import { toCompletion } from './to-completion.ts'
import { toMessage } from './to-message.ts'

const OPTIONS = { stopSequences: ['END'], showsThinking: true }
const inJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

const count = fc.nat(1000)
const message: fc.Arbitrary<Message> = fc
  .record({
    thinking: fc.string({ maxLength: 10 }),
    text: fc.string({ maxLength: 10 }),
    tools: fc.array(
      fc.record({
        id: fc.stringMatching(/^call_[a-z0-9]{1,8}$/),
        name: fc.stringMatching(/^[a-z]{1,8}$/),
        input: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.integer())),
      }),
      { maxLength: 3 },
    ),
    ending: fc.constantFrom('end_turn', 'max_tokens', 'stop_sequence', 'refusal'),
    usage: fc.record({
      input_tokens: count,
      cache_creation_input_tokens: count,
      cache_read_input_tokens: count,
      output_tokens: count,
      output_tokens_details: fc.option(fc.record({ thinking_tokens: fc.integer({ min: 1, max: 9 }) })),
    }),
  })
  .map(({ thinking, text, tools, ending, usage }) => ({
    id: 'msg_9',
    type: 'message',
    role: 'assistant' as const,
    content: [
      ...(thinking ? [{ type: 'thinking', thinking, signature: '' }] : []),
      ...(text ? [{ type: 'text', text, citations: null }] : []),
      ...tools.map((tool) => ({ type: 'tool_use', ...tool })),
    ],
    stop_reason: tools.length > 0 && ending === 'end_turn' ? 'tool_use' : ending,
    stop_sequence: ending === 'stop_sequence' ? 'END' : null,
    stop_details: null,
    container: null,
    usage,
  }))

test('a message survives the round trip through a chat completion, and both match their schemas', () => {
  fc.assert(
    fc.property(message, (provided) => {
      const completion = toCompletion(provided)
      assert.deepEqual(chatCompletion.parse(inJson(completion)), inJson(completion))
      const back = toMessage(completion, OPTIONS)
      assert.deepEqual(inJson(back), inJson(provided))
      assert.deepEqual(messageSchema.parse(inJson(back)), inJson(back))
    }),
  )
})

const answerTo = (message: object, finish = 'stop', usage?: object) =>
  toMessage(chatCompletion.parse({ ...toChatAnswer(message, finish), ...(usage && { usage }) }), OPTIONS)

test('a chat completion becomes a message: text, calls, finish reason and usage', () => {
  const tool_calls = [
    { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } },
  ]
  // 100 prompt tokens, of which 60 were read from the cache and 10 written to it: 30 are neither.
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 7 },
  }
  assert.deepEqual(answerTo({ content: 'See.', reasoning_content: 'Hm.', tool_calls }, 'tool_calls', usage), {
    id: 'chatcmpl-9',
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'See.', citations: null },
      { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'sea' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: {
      input_tokens: 30,
      cache_creation_input_tokens: 10,
      cache_read_input_tokens: 60,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 7 },
    },
  })
})

test('common mistakes of servers are corrected or passed on', () => {
  const called = (text: unknown) => [{ type: 'function', function: { name: 'a', arguments: text } }]
  const inputOf = (text: unknown) => answerTo({ content: null, tool_calls: called(text) }).content[0]?.input
  assert.deepEqual(inputOf(''), {})
  assert.deepEqual(inputOf(null), {})
  assert.deepEqual(inputOf({ at: 1 }), { at: 1 })
  assert.deepEqual(inputOf('{"at":'), { _raw: '{"at":' })
  assert.deepEqual(inputOf('[1]'), { _raw: '[1]' })
  const nameless = answerTo({ content: null, tool_calls: called('{}') })
  assert.match(String(nameless.content[0]?.id), /^toolu_[0-9a-f]{32}0$/)
  assert.equal(nameless.stop_reason, 'tool_use')
  const old = answerTo({ content: null, function_call: { name: 'a', arguments: '{}' } }, 'function_call')
  assert.equal(old.content[0]?.name, 'a')
  assert.deepEqual(answerTo({ content: '' }).content, [])
  assert.equal(answerTo({ content: null, refusal: 'No.' }).stop_reason, 'refusal')
  const strange = { content: null, tool_calls: [{ id: 'a', function: { arguments: '{}' } }] }
  assert.throws(() => answerTo(strange), ModelFailed)
})

test('an answer that the context window ended has reason length, and unknown reasons become stop', () => {
  const finishOf = (stop_reason: string) =>
    toCompletion({ role: 'assistant', content: [], stop_reason }).choices[0]?.finish_reason
  assert.deepEqual(['model_context_window_exceeded', 'pause_turn', 'something_new'].map(finishOf), [
    'length',
    'stop',
    'stop',
  ])
})
