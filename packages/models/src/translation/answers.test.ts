import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCompletion as toChatAnswer } from '@tollbook/testing/models/chat-upstream'
import { fc } from '@tollbook/testing/property'
import { chatCompletion } from '../chat/chat-messages.ts'
import { ModelFailed } from '../failure.ts'
import { message as messageSchema } from '../messages/answer.ts'
import { toMessage } from './to-message.ts'

const OPTIONS = { stopSequences: ['END'], showsThinking: true }
const inJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

const count = fc.nat(1000)
const answer = fc.record({
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
  // How a completion and the message end.
  ending: fc.constantFrom(
    ['stop', 'end_turn', undefined] as const,
    ['length', 'max_tokens', undefined] as const,
    ['stop', 'stop_sequence', 'END'] as const,
    ['content_filter', 'refusal', undefined] as const,
  ),
  usage: fc.record({ fresh: count, written: count, read: count, output: count, thinking: fc.nat(9) }),
})

test('thinking, text, calls, ending and usage of a chat completion are those of the message', () => {
  fc.assert(
    fc.property(answer, ({ thinking, text, tools, ending: [finish, reason, stop], usage }) => {
      const completion = chatCompletion.parse({
        id: 'chatcmpl-9',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: text || null,
              ...(thinking && { reasoning_content: thinking }),
              ...(tools.length > 0 && {
                tool_calls: tools.map(({ id, name, input }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: JSON.stringify(input) },
                })),
              }),
            },
            finish_reason: finish,
            ...(stop && { stop_reason: stop }),
          },
        ],
        usage: {
          prompt_tokens: usage.fresh + usage.written + usage.read,
          completion_tokens: usage.output,
          total_tokens: usage.fresh + usage.written + usage.read + usage.output,
          prompt_tokens_details: { cached_tokens: usage.read, cache_write_tokens: usage.written },
          completion_tokens_details: { reasoning_tokens: usage.thinking },
        },
      })
      const message = inJson(toMessage(completion, OPTIONS))
      assert.deepEqual(message, {
        id: 'chatcmpl-9',
        type: 'message',
        role: 'assistant',
        content: [
          ...(thinking ? [{ type: 'thinking', thinking, signature: '' }] : []),
          ...(text ? [{ type: 'text', text, citations: null }] : []),
          ...inJson(tools).map((tool) => ({ type: 'tool_use', ...tool })),
        ],
        stop_reason: tools.length > 0 && reason === 'end_turn' ? 'tool_use' : reason,
        stop_sequence: stop ?? null,
        stop_details: null,
        container: null,
        usage: {
          input_tokens: usage.fresh,
          cache_creation_input_tokens: usage.written,
          cache_read_input_tokens: usage.read,
          output_tokens: usage.output,
          output_tokens_details: usage.thinking > 0 ? { thinking_tokens: usage.thinking } : null,
        },
      })
      assert.deepEqual(messageSchema.parse(message), message)
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
