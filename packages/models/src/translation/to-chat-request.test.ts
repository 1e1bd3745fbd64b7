import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import * as z from 'zod'
import { type ChatMessage, chatMessage } from '../chat/chat-message.ts'
import {
  type AssistantBlock,
  type MessagesRequest,
  messagesRequest,
  type UserBlock,
} from '../messages/request.ts'
import { findUntranslatable } from './find-untranslatable.ts'
import { toChatRequest } from './to-chat-request.ts'

const text = fc.string({ minLength: 1, maxLength: 20 })
const name = fc.stringMatching(/^[a-z_]{1,12}$/)
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
const mediaType = fc.constantFrom('image/png', 'image/jpeg', 'image/gif', 'image/webp')
const object = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
/** Without undefined members, which JSON omits. */
const inJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

const schema = object.map((properties) => ({ type: 'object' as const, properties }))
const ids = fc.uniqueArray(fc.stringMatching(/^call_[A-Za-z0-9]{1,8}$/), { minLength: 1, maxLength: 3 })

/** Tool calls followed by their results, in the order that both dialects require. */
const exchange = fc.record({ ids, name, input: object, result: text, said: maybe(text), after: maybe(text) })

const imageBlock = fc.tuple(mediaType, base64).map(([media_type, data]) => ({
  type: 'image' as const,
  source: { type: 'base64' as const, media_type, data },
}))
const pdfBlock = fc.tuple(base64, maybe(fc.constantFrom('Report.pdf'))).map(([data, title]) => ({
  type: 'document' as const,
  source: { type: 'base64' as const, media_type: 'application/pdf' as const, data },
  title,
}))

/** Messages requests with members that chat completions can express. */
const wholeRequest: fc.Arbitrary<MessagesRequest> = fc
  .record({
    max_tokens: fc.integer({ min: 1, max: 100_000 }),
    system: maybe(text),
    first: fc.oneof(text, fc.tuple(text, imageBlock, pdfBlock)),
    exchanges: fc.array(exchange, { maxLength: 3 }),
    last: text,
    stop_sequences: maybe(fc.array(text, { minLength: 1, maxLength: 4 })),
    temperature: maybe(fc.constantFrom(0, 0.5, 1)),
    top_p: maybe(fc.constantFrom(0.1, 1)),
    top_k: maybe(fc.integer({ min: 1, max: 100 })),
    tools: maybe(
      fc.array(
        fc.record({ name, description: maybe(text), input_schema: schema, strict: maybe(fc.boolean()) }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    choice: fc.oneof(
      fc.constantFrom(undefined, { type: 'auto' }, { type: 'any' }, { type: 'none' }),
      name.map((called) => ({ type: 'tool', name: called })),
    ),
    isAlone: fc.boolean(),
    effort: fc.constantFrom(undefined, 'low' as const, 'medium' as const, 'high' as const),
    format: maybe(schema),
    user: maybe(text),
  })
  .map(({ first, exchanges, last, tools, choice, isAlone, effort, format, user, ...fields }) => {
    const said = (content: string) => ({ type: 'text', text: content })
    return inJson({
      ...fields,
      messages: [
        { role: 'user', content: typeof first === 'string' ? first : [said(first[0]), first[1], first[2]] },
        ...exchanges.flatMap((made) => [
          {
            role: 'assistant',
            content: [
              ...(made.said === undefined ? [] : [said(made.said)]),
              ...made.ids.map((id) => ({ type: 'tool_use', id, name: made.name, input: made.input })),
            ],
          },
          {
            role: 'user',
            content: [
              ...made.ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: made.result })),
              ...(made.after === undefined ? [] : [said(made.after)]),
            ],
          },
        ]),
        { role: 'assistant', content: 'Go on.' },
        { role: 'user', content: last },
      ],
      ...(tools && { tools }),
      ...(tools &&
        choice && {
          tool_choice: {
            ...choice,
            ...(isAlone && choice.type !== 'none' && { disable_parallel_tool_use: true }),
          },
        }),
      ...((effort || format) && {
        output_config: { effort, ...(format && { format: { type: 'json_schema', schema: format } }) },
      }),
      ...(user !== undefined && { metadata: { user_id: user } }),
    }) as MessagesRequest
  })

/** What a request says, in its order, in terms of both APIs. */
type Said = readonly unknown[]

function saidInMessages({ system, messages }: MessagesRequest): Said[] {
  const ofBlock = (block: UserBlock | AssistantBlock): Said[] => {
    switch (block.type) {
      case 'text':
        return [['text', block.text]]
      case 'image':
        assert.ok(block.source.type === 'base64')
        return [['image', `data:${block.source.media_type};base64,${block.source.data}`]]
      case 'document':
        assert.ok(block.source.type === 'base64')
        return [['file', block.title ?? 'document.pdf', `data:application/pdf;base64,${block.source.data}`]]
      case 'tool_use':
        return [['call', block.id, block.name, block.input]]
      case 'tool_result':
        return [['result', block.tool_use_id, block.content]]
      default:
        return assert.fail(`${block.type} is not generated`)
    }
  }
  return [
    ...(system ? [['system', system]] : []),
    ...messages.flatMap(({ role, content }) => [
      [role],
      ...(typeof content === 'string' ? [['text', content]] : content.flatMap(ofBlock)),
    ]),
  ]
}

function saidInChat(messages: readonly ChatMessage[]): Said[] {
  let last = ''
  return messages.flatMap((message): Said[] => {
    if (message.role === 'system') return [['system', message.content]]
    // A result and what follows it are one turn of the messages API.
    const role = message.role === 'tool' ? 'user' : message.role
    const turn = role === last ? [] : [[role]]
    last = role
    if (message.role === 'tool') return [...turn, ['result', message.tool_call_id, message.content]]
    const parts =
      typeof message.content === 'string'
        ? [{ type: 'text' as const, text: message.content }]
        : (message.content ?? [])
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
    return [
      ...turn,
      ...parts.map((part): Said => {
        if (part.type === 'text') return ['text', part.text]
        if (part.type === 'image_url') return ['image', part.image_url.url]
        assert.ok(part.type === 'file')
        return ['file', part.file.filename, part.file.file_data]
      }),
      ...calls.map(
        ({ id, function: { name, arguments: text } }): Said => ['call', id, name, JSON.parse(text)],
      ),
    ]
  })
}

const CHOICES = { auto: 'auto', any: 'required', none: 'none' } as const

test('nothing that a messages request says is lost in chat completions', () => {
  fc.assert(
    fc.property(wholeRequest, (request) => {
      assert.deepEqual(messagesRequest.parse(request), request)
      assert.deepEqual(findUntranslatable(request), [])
      const { messages, ...fields } = inJson(toChatRequest(request))
      assert.deepEqual(saidInChat(z.array(chatMessage).parse(messages)), saidInMessages(request))
      const {
        max_tokens,
        temperature,
        top_p,
        top_k,
        stop_sequences,
        tools,
        tool_choice,
        output_config,
        metadata,
      } = request
      const isAlone = tool_choice && 'disable_parallel_tool_use' in tool_choice
      const expected = {
        max_tokens,
        temperature,
        top_p,
        top_k,
        stop: stop_sequences,
        tools: tools?.map(({ input_schema, ...tool }) => ({
          type: 'function',
          function: { ...tool, parameters: input_schema },
        })),
        tool_choice:
          tool_choice?.type === 'tool'
            ? { type: 'function', function: { name: tool_choice.name } }
            : tool_choice && CHOICES[tool_choice.type],
        parallel_tool_calls: isAlone ? false : undefined,
        reasoning_effort: output_config?.effort,
        response_format: output_config?.format && {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: output_config.format.schema, strict: true },
        },
        user: metadata?.user_id,
      }
      assert.deepEqual(fields, inJson(expected))
    }),
  )
})
