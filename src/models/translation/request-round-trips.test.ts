import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import type { ChatRequest } from '../chat/chat-messages.ts'
import { type MessagesRequest, messagesRequest } from '../messages/request.ts'
import { findUntranslatable } from './find-untranslatable.ts'
import { toChatRequest } from './to-chat-request.ts'
import { toMessagesRequest } from './to-messages-request.ts'

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

/** Chat completions requests as SDKs write them, with members that the messages API can express. */
const chatRequest: fc.Arbitrary<ChatRequest> = fc
  .record({
    system: maybe(text),
    first: fc.oneof(
      text,
      fc.tuple(text, fc.tuple(mediaType, base64)).map(([said, [type, data]]) => [
        { type: 'text', text: said },
        { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } },
        { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } },
      ]),
    ),
    exchanges: fc.array(exchange, { maxLength: 3 }),
    max_tokens: fc.integer({ min: 1, max: 100_000 }),
    temperature: maybe(fc.constantFrom(0, 0.5, 1)),
    top_p: maybe(fc.constantFrom(0.1, 1)),
    stop: maybe(fc.array(text, { minLength: 1, maxLength: 4 })),
    tools: maybe(
      fc.array(
        fc.record({ name, description: maybe(text), parameters: schema, strict: maybe(fc.boolean()) }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    choice: fc.oneof(
      fc.constantFrom(undefined, 'auto', 'none', 'required'),
      name.map((called) => ({ type: 'function', function: { name: called } })),
    ),
    isAlone: fc.boolean(),
    format: maybe(schema),
    reasoning_effort: fc.constantFrom(undefined, 'low', 'medium', 'high'),
    user: maybe(text),
  })
  .map(({ system, first, exchanges, tools, choice, isAlone, format, ...fields }) => {
    const hasChoice = tools && choice !== undefined
    return inJson({
      ...fields,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: first },
        ...exchanges.flatMap((made) => [
          {
            role: 'assistant',
            content: made.said ?? null,
            tool_calls: made.ids.map((id) => ({
              id,
              type: 'function',
              function: { name: made.name, arguments: JSON.stringify(made.input) },
            })),
          },
          ...made.ids.map((id) => ({ role: 'tool', tool_call_id: id, content: made.result })),
          ...(made.after === undefined ? [] : [{ role: 'user', content: made.after }]),
        ]),
      ],
      ...(tools && { tools: tools.map((one) => ({ type: 'function', function: one })) }),
      ...(hasChoice && { tool_choice: choice }),
      ...(hasChoice && isAlone && choice !== 'none' && { parallel_tool_calls: false }),
      ...(format && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: format, strict: true },
        },
      }),
    })
  })

test('a chat completions request survives the round trip through the messages API', () => {
  fc.assert(
    fc.property(chatRequest, (request) => {
      const translated = toMessagesRequest(request)
      // The translated request matches the schema of its dialect.
      assert.deepEqual(messagesRequest.parse(inJson(translated)), inJson(translated))
      assert.deepEqual(findUntranslatable(translated), [])
      assert.deepEqual(inJson(toChatRequest(translated)), request)
    }),
  )
})

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

test('a messages request survives the round trip through chat completions', () => {
  fc.assert(
    fc.property(wholeRequest, (request) => {
      assert.deepEqual(messagesRequest.parse(request), request)
      assert.deepEqual(inJson(toMessagesRequest(toChatRequest(request))), request)
    }),
  )
})
