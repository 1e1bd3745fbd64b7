import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openResponses } from '@tollbook/testing/inference/open-responses'
import { sendJson, startChatUpstream, toCompletion } from '@tollbook/testing/models/chat-upstream'

test('tools of a namespace are functions to the model, and calls name the namespace again', async (t) => {
  const upstream = await startChatUpstream()
  t.after(upstream.close)
  const ask = await openResponses(upstream)
  const called = { name: 'agents__close', arguments: '{"id":1}' }
  const tool_calls = [{ id: 'call_1', type: 'function', function: called }]
  upstream.answerWith(sendJson(toCompletion({ content: null, tool_calls }, 'tool_calls')))
  const earlier = { type: 'function_call', call_id: 'a', name: 'close', namespace: 'agents', arguments: '{}' }
  const { body } = await ask({
    input: [
      { role: 'user', content: 'hello' },
      earlier,
      { type: 'function_call_output', call_id: 'a', output: '' },
    ],
    tools: [
      { type: 'function', name: 'close', parameters: {} },
      {
        type: 'namespace',
        name: 'agents',
        description: 'Agents.',
        tools: [{ type: 'function', name: 'close' }],
      },
    ],
  })
  const { messages, tools } = upstream.calls[0]?.body ?? {}
  const names = tools.map((tool: { function: { name: string } }) => tool.function.name)
  assert.deepEqual(names, ['close', 'agents__close'])
  const repeated = { id: 'a', type: 'function', function: { name: 'agents__close', arguments: '{}' } }
  assert.deepEqual(messages[1].tool_calls, [repeated])
  const [{ id: _, ...item }] = body.output
  assert.deepEqual(item, {
    type: 'function_call',
    status: 'completed',
    call_id: 'call_1',
    name: 'close',
    namespace: 'agents',
    arguments: '{"id":1}',
  })
})
