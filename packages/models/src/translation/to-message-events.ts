import * as z from 'zod'
import type { ChatChunk } from '../chat/chat-messages.ts'
import { ModelFailed } from '../failure.ts'
import type { MessageEvent } from '../messages/answer.ts'
import { createAnswerBlocks } from './answer-blocks.ts'
import { toStopReason } from './endings.ts'
import { type AnswerOptions, thinkingOf } from './to-message.ts'
import { type ChatUsage, toMessageUsage } from './usage.ts'

const callDelta = z.looseObject({
  index: z.int().min(0).nullish(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown() }).nullish(),
})
const delta = z.looseObject({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(callDelta).nullish(),
  function_call: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
})

/**
 * Converts chat completions chunks to messages events. The final events wait for the end of the chunks, since
 * usage follows the finish reason.
 * @throws ModelFailed if a chunk is malformed; errors of the chunks
 */
export async function* toMessageEvents(
  chunks: AsyncIterable<ChatChunk>,
  { stopSequences, showsThinking }: AnswerOptions,
): AsyncGenerator<MessageEvent> {
  const blocks = createAnswerBlocks()
  let isStarted = false
  let isRefusal = false
  let finishReason: string | undefined
  let stoppedAt: unknown
  let usage: ChatUsage | undefined
  for await (const chunk of chunks) {
    usage = chunk.usage ?? usage
    if (!isStarted) yield* toStart(chunk, usage)
    isStarted = true
    const choice = chunk.choices[0]
    if (!choice) continue
    const read = delta.safeParse(choice.delta ?? {})
    if (!read.success)
      throw new ModelFailed('the stream contains an event that is not a chat completion chunk')
    const { content, refusal, tool_calls, function_call } = read.data
    if (showsThinking) blocks.addText('thinking', thinkingOf(read.data))
    blocks.addText('text', content ?? '')
    blocks.addText('text', refusal ?? '')
    isRefusal ||= Boolean(refusal)
    for (const { index, id, function: called } of tool_calls ?? []) {
      const text = toText(called?.arguments)
      blocks.addCall({ index: index ?? undefined, id: id ?? '', name: called?.name ?? '', text })
    }
    if (function_call) {
      const { name, arguments: text } = function_call
      blocks.addCall({ index: 0, id: '', name: name ?? '', text: text ?? '' })
    }
    yield* blocks.take(false)
    if (typeof choice.finish_reason === 'string') {
      finishReason = choice.finish_reason
      stoppedAt = choice.stop_reason
    }
  }
  if (finishReason === undefined) throw new ModelFailed('the stream ended before the answer was finished')
  yield* blocks.take(true)
  const hasTools = blocks.hasCalls()
  const ending = toStopReason({ finishReason, stoppedAt, stopSequences, hasTools, isRefusal })
  yield {
    type: 'message_delta',
    delta: { ...ending, stop_details: null, container: null },
    usage: toMessageUsage(usage),
  }
  yield { type: 'message_stop' }
}

function* toStart({ id }: ChatChunk, usage: ChatUsage | undefined): Generator<MessageEvent> {
  yield {
    type: 'message_start',
    message: {
      ...(id !== undefined && { id }),
      type: 'message',
      role: 'assistant',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      // Most servers report usage at the end; then `message_delta` holds the totals.
      usage: toMessageUsage(usage),
    },
  }
  yield { type: 'ping' }
}

/** Some servers send arguments as an object in one part. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
