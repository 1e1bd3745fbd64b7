import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather } from '@tollbook/testing/gather'
import type { ChatChunk } from '../chat/chat-messages.ts'
import { ModelFailed } from '../failure.ts'
import { toMessageEvents } from './to-message-events.ts'

const OPTIONS = { stopSequences: [], showsThinking: true }

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

const toChunk = (delta: object, finish_reason: string | null = null): ChatChunk => ({
  id: 'chatcmpl-9',
  choices: [{ index: 0, delta: { ...delta }, finish_reason }],
})
const call = (index: number, more: object) => toChunk({ tool_calls: [{ index, ...more }] })
const named = (name: string, text: string) => ({
  id: name,
  type: 'function',
  function: { name, arguments: text },
})

/** A short notation for events: block starts, deltas and ends. */
async function briefly(chunks: readonly ChatChunk[], options = OPTIONS): Promise<string[]> {
  return (await gather(toMessageEvents(each(chunks), options))).map((event) => {
    if (event.type === 'content_block_start') return `+${event.index} ${event.content_block.type}`
    if (event.type === 'content_block_stop') return `-${event.index}`
    if (event.type === 'message_delta') return `= ${event.delta.stop_reason}`
    if (event.type !== 'content_block_delta') return event.type
    const { text, thinking, partial_json } = event.delta
    return `${event.index} ${text ?? thinking ?? partial_json}`
  })
}

test('a call with complete arguments is closed when the next one starts, and is streamed until then', async () => {
  const steps = await briefly([
    call(0, named('one', '{"x":"}"')),
    call(0, { function: { arguments: '}' } }),
    call(1, named('two', '{')),
    call(1, { function: { arguments: '}' } }),
    toChunk({}, 'stop'),
  ])
  assert.deepEqual(steps, [
    'message_start',
    'ping',
    '+0 tool_use',
    '0 {"x":"}"',
    '0 }',
    '-0',
    '+1 tool_use',
    '1 {',
    '1 }',
    '-1',
    // Calls that a server finishes with `stop` still count as calls.
    '= tool_use',
    'message_stop',
  ])
})

test('text after a call waits until the call is complete, and becomes its own block', async () => {
  const steps = await briefly([
    toChunk({ content: 'A' }),
    call(0, named('one', '')),
    toChunk({ content: 'B' }),
    call(0, { function: { arguments: '{}' } }),
    toChunk({}, 'tool_calls'),
  ])
  assert.deepEqual(steps.slice(2), [
    '+0 text',
    '0 A',
    '-0',
    '+1 tool_use',
    '1 {}',
    '-1',
    '+2 text',
    '2 B',
    '-2',
    '= tool_use',
    'message_stop',
  ])
})

test('calls are separate even if the server omits the index or leaves it at 0', async () => {
  const whole = (more: object, name: string) => toChunk({ tool_calls: [{ ...more, ...named(name, '{}') }] })
  for (const more of [{}, { index: 0 }]) {
    const steps = await briefly([whole(more, 'one'), whole(more, 'two'), toChunk({}, 'stop')])
    assert.deepEqual(steps.slice(2, -2), ['+0 tool_use', '0 {}', '-0', '+1 tool_use', '1 {}', '-1'])
  }
})

test('thinking is shown if the request asks for it, under both field names', async () => {
  const chunks = [
    toChunk({ reasoning_content: 'H' }),
    toChunk({ reasoning: 'm' }),
    toChunk({ content: 'Hi' }),
  ]
  const rest = [toChunk({}, 'stop')]
  assert.deepEqual((await briefly([...chunks, ...rest])).slice(2, -2), [
    '+0 thinking',
    '0 H',
    '0 m',
    '-0',
    '+1 text',
    '1 Hi',
    '-1',
  ])
  const hidden = await briefly([...chunks, ...rest], { ...OPTIONS, showsThinking: false })
  assert.deepEqual(hidden.slice(2, -2), ['+0 text', '0 Hi', '-0'])
})

test('an answer without content is a message without blocks', async () => {
  const steps = await briefly([toChunk({ role: 'assistant', content: '' }), toChunk({}, 'stop')])
  assert.deepEqual(steps, ['message_start', 'ping', '= end_turn', 'message_stop'])
})

test('a refusal and the stop sequence that vLLM reports determine the stop reason', async () => {
  assert.equal((await briefly([toChunk({ refusal: 'No.' }), toChunk({}, 'stop')])).at(-2), '= refusal')
  const stopped = { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }] }
  const options = { ...OPTIONS, stopSequences: ['END'] }
  const events = await gather(toMessageEvents(each([toChunk({ content: 'a' }), stopped]), options))
  const end = events.at(-2)
  assert.ok(end?.type === 'message_delta')
  assert.deepEqual([end.delta.stop_reason, end.delta.stop_sequence], ['stop_sequence', 'END'])
})

const STRANGE: Readonly<Record<string, readonly ChatChunk[]>> = {
  'never finishes': [toChunk({ content: 'Hi' })],
  'calls a tool without a name': [
    call(0, { id: 'a', function: { arguments: '{}' } }),
    toChunk({}, 'tool_calls'),
  ],
  'continues a call after its end': [
    call(0, named('one', '{}')),
    call(1, named('two', '{}')),
    call(0, { function: { arguments: 'x' } }),
    toChunk({}, 'tool_calls'),
  ],
  'has content that is not text': [toChunk({ content: 7 }), toChunk({}, 'stop')],
}
for (const [how, chunks] of Object.entries(STRANGE)) {
  test(`a stream that ${how} fails`, async () => {
    await assert.rejects(gather(toMessageEvents(each(chunks), OPTIONS)), ModelFailed)
  })
}
