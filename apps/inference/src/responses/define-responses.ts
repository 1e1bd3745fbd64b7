import { type Address, type Call, defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import type { OpenTiers } from '@tollbook/models/tiers/open-tiers'
import * as z from 'zod'
import { availabilityOf, type ChatOffer, toChatOffer } from '../chat/chat-offer.ts'
import {
  CHAT_LIMITS,
  type ChatEndpoint,
  findChatIssues,
  pricingOf,
  selectByModel,
} from '../chat/define-chat.ts'
import type { InferencePorts } from '../ports.ts'
import { answerResponses } from './answer-responses.ts'
import { isUndeclaredField, type ResponsesInput, requestFields } from './request-fields.ts'
import { toChatInput, toResponsesIssues } from './to-chat-input.ts'

const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.enum(['in_progress', 'completed', 'incomplete']),
  model: z.string().describe('The tier that answered.'),
  output: z.array(z.looseObject({ id: z.string(), type: z.string() })),
})

/** Declares a path of a tier in the responses dialect, at the price of a chat of that tier. */
export function defineResponses(path: ChatEndpoint): Endpoint {
  const { tier, isMetered = false, variant, otherName, pathOf } = path
  const offer = toChatOffer(tier, isMetered, otherName)
  return defineEndpoint({
    id: path.id,
    method: 'POST',
    effect: 'none',
    path: path.path,
    summary: path.summary,
    ...(variant && { variant }),
    pricing: pricingOf(tier, offer.meteringOf(undefined)),
    description:
      'Response of a language model in the responses dialect, whole or streamed, with tools, JSON schema, images and reasoning. Nothing is stored: the input is the whole conversation.',
    input: requestFields,
    output: response,
    example: exampleOf(offer.name),
    limits: CHAT_LIMITS,
    dialect: 'chat',
    takesParameter: isUndeclaredField,
    check: (input, ports: InferencePorts) => findResponsesIssues(input, offer, ports.tiers),
    ...(pathOf && { selection: selectByModel(pathOf) }),
    availability: (ports) => availabilityOf(tier.name, ports.tiers.get(tier.name)),
    handle: (call: Call<ResponsesInput, InferencePorts, Address>) => answerResponses(call, offer),
  })
}

/** Why a path cannot serve a request; checked before any payment. */
function findResponsesIssues(input: ResponsesInput, offer: ChatOffer, tiers: OpenTiers): readonly Issue[] {
  const translated = toChatInput(input)
  if ('issues' in translated) return translated.issues
  return toResponsesIssues(findChatIssues(translated.chat, offer, tiers), translated.places)
}

function exampleOf(model: string) {
  const text = { type: 'output_text', text: 'Hello!', annotations: [], logprobs: [] }
  return {
    input: { input: 'Say hello.' },
    output: {
      id: 'resp_5c3f',
      object: 'response' as const,
      created_at: 1_795_255_200,
      status: 'completed' as const,
      model,
      output: [
        { id: 'msg_5c3f_0', type: 'message', status: 'completed', role: 'assistant', content: [text] },
      ],
      usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 },
    },
  }
}
