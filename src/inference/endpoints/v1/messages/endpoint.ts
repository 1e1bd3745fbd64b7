import * as z from 'zod'
import { defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { availabilityOf } from '../../../chat/availability.ts'
import { answerMessages } from '../../../messages/answer-messages.ts'
import { MESSAGES_TIER, type MessagesPorts } from '../../../messages/messages-ports.ts'
import { findMessagesFaults } from '../../../messages/read-messages-request.ts'
import { isUndeclaredField, requestFields } from '../../../messages/request-fields.ts'

/** Several images in base64, or a text of millions of characters. */
const MAX_BODY_BYTES = 24 * 1024 * 1024
/** Above the max timeout of an upstream, so that the upstream's own failure is reported. */
const TIMEOUT_MS = 290_000

const message = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
})

export const messages = defineEndpoint({
  id: 'messages',
  method: 'POST',
  effect: 'none',
  path: '/v1/messages',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Answer of a language model, in the messages dialect',
  description:
    'Reply of a language model in the messages dialect, whole or streamed, with tools, JSON schema, images, documents and thinking. The payment is the authentication: no API key is needed.',
  input: requestFields,
  output: message,
  example: {
    input: { model: 'any', max_tokens: 64, messages: [{ role: 'user', content: 'Say hello.' }] },
    output: {
      id: 'msg_5c3f',
      type: 'message',
      role: 'assistant',
      model: MESSAGES_TIER,
      content: [{ type: 'text', text: 'Hello!', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 3 },
    },
  },
  limits: { bodyBytes: MAX_BODY_BYTES, timeoutMs: TIMEOUT_MS },
  dialect: 'messages',
  takesParameter: isUndeclaredField,
  check: (input, ports: MessagesPorts) => findMessagesFaults(input, ports.messages),
  availability: (ports) => availabilityOf(MESSAGES_TIER, ports.messages),
  handle: answerMessages,
})
