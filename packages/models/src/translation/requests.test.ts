import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MessagesRequest, messagesRequest } from '../messages/request.ts'
import { findUntranslatable } from './find-untranslatable.ts'
import { toChatRequest } from './to-chat-request.ts'

const ask = (content: unknown, more: object = {}) =>
  messagesRequest.parse({ max_tokens: 9, messages: [{ role: 'user', content }], ...more })

test('tool results come first in their turn, then their images, and errors are marked', () => {
  const dot = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }
  const request = ask([
    { type: 'text', text: 'and now?' },
    { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'seen' }, dot] },
    { type: 'tool_result', tool_use_id: 'b', content: 'no file', is_error: true },
    { type: 'tool_result', tool_use_id: 'c' },
  ])
  assert.deepEqual(toChatRequest(request).messages, [
    { role: 'tool', tool_call_id: 'a', content: 'seen' },
    { role: 'tool', tool_call_id: 'b', content: 'Error: no file' },
    { role: 'tool', tool_call_id: 'c', content: '' },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
        { type: 'text', text: 'and now?' },
      ],
    },
  ])
})

test('documents and search results become text, PDFs become files, earlier thinking is omitted', () => {
  const cache_control = { type: 'ephemeral' }
  const request = messagesRequest.parse({
    max_tokens: 9,
    system: [
      { type: 'text', text: 'One.', cache_control },
      { type: 'text', text: 'Two.' },
    ],
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'Words.' },
            title: 'T',
            context: 'C',
          },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
          { type: 'document', source: { type: 'content', content: 'Plain.' } },
          {
            type: 'search_result',
            source: 'https://a.example',
            title: 'A',
            content: [{ type: 'text', text: 'Found.' }],
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'Read.' },
        ],
      },
      { role: 'user', content: 'And?' },
    ],
  })
  assert.deepEqual(toChatRequest(request).messages, [
    { role: 'system', content: 'One.\n\nTwo.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'T\n\nC\n\nWords.' },
        { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
        { type: 'text', text: 'Plain.' },
        { type: 'text', text: 'A\n\nhttps://a.example\n\nFound.' },
      ],
    },
    { role: 'assistant', content: 'Read.' },
    { role: 'user', content: 'And?' },
  ])
})

test('budgets and efforts become reasoning efforts, and of many stop sequences the first four are sent upstream', () => {
  const effortOf = (more: object) => toChatRequest(ask('x', more)).reasoning_effort
  // 2,048 is the highest low budget, 8,192 the highest medium one.
  for (const [budget_tokens, effort] of [
    [1024, 'low'],
    [2048, 'low'],
    [2049, 'medium'],
    [8192, 'medium'],
    [8193, 'high'],
  ]) {
    assert.equal(effortOf({ thinking: { type: 'enabled', budget_tokens } }), effort)
  }
  for (const effort of ['xhigh', 'max']) assert.equal(effortOf({ output_config: { effort } }), 'high')
  assert.equal(effortOf({ thinking: { type: 'adaptive' } }), undefined)
  const stop_sequences = ['a', 'b', 'c', 'd', 'e']
  assert.deepEqual(toChatRequest(ask('x', { stop_sequences })).stop, ['a', 'b', 'c', 'd'])
})

const PDF = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }
const UNSAYABLE: readonly (readonly [request: MessagesRequest, parameter: string])[] = [
  [
    messagesRequest.parse({ max_tokens: 9, messages: [{ role: 'assistant', content: 'The answer is (' }] }),
    'messages',
  ],
  [ask([{ ...PDF, citations: { enabled: true } }]), 'messages.0.content.0.citations'],
  [ask([{ type: 'tool_result', tool_use_id: 'a', content: [PDF] }]), 'messages.0.content.0.content.0'],
  [
    ask('x', { tools: [{ name: 'a', input_schema: { type: 'object' }, input_examples: [{}] }] }),
    'tools.0.input_examples',
  ],
  [ask('x', { thinking: { type: 'between_tools' } }), 'thinking.type'],
]
for (const [request, parameter] of UNSAYABLE) {
  test(`chat completions cannot express ${parameter}`, () => {
    assert.deepEqual(
      findUntranslatable(request).map((issue) => issue.parameter),
      [parameter],
    )
  })
}
