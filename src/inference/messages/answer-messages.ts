import { eventStream, json } from '../../catalogue/answer.ts'
import type { Address, Call } from '../../catalogue/endpoint.ts'
import type { Message, MessageUsage } from '../../models/messages/answer.ts'
import { toModelProblem } from '../chat/explain-failure.ts'
import { createOutputBound } from '../chat/output-bound.ts'
import { completeUsage } from './estimate-tokens.ts'
import { inlineSources } from './inline-sources.ts'
import { MESSAGES_TIER, type MessagesPorts } from './messages-ports.ts'
import { readMessagesRequest } from './read-messages-request.ts'
import type { MessagesInput } from './request-fields.ts'
import { textOf, writeEvents } from './write-events.ts'

/** Answers a call of /v1/messages, as JSON or as a stream. */
export async function answerMessages(call: Call<MessagesInput, MessagesPorts, Address>) {
  const { input, ports, payer, callId, signal } = call
  const { messages: opened, fetch } = ports
  const read = readMessagesRequest(input)
  if (!opened || 'faults' in read) throw new Error('it is not sold without a model, nor with faults')
  const request = await inlineSources(read.request, { fetch, payer, signal })
  const { countTokens } = opened
  const toUsage = (usage: MessageUsage, said: string) => completeUsage(usage, { request, said, countTokens })
  const shown = { id: `msg_${callId.replaceAll('-', '')}`, model: MESSAGES_TIER }
  try {
    if (input.stream) {
      const bound = createOutputBound(request.max_tokens, countTokens)
      const events = await opened.model.messages.stream(request, signal)
      return eventStream(writeEvents(events, { ...shown, toUsage, bound }))
    }
    const answer = await opened.model.messages.complete(request, signal)
    return json({
      ...answer,
      ...shown,
      type: 'message' as const,
      stop_reason: answer.stop_reason ?? null,
      stop_sequence: answer.stop_sequence ?? null,
      usage: toUsage(answer.usage ?? {}, saidBy(answer)),
    })
  } catch (error) {
    throw toModelProblem(error)
  }
}

function saidBy({ content }: Message): string {
  return content.map((block) => textOf(block) + (block.input ? JSON.stringify(block.input) : '')).join('')
}
