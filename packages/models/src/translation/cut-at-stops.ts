import type { ChatChunk, ChatCompletion } from '../chat/chat-messages.ts'

/** Where a text is cut, and the stop sequence that matched. */
type Cut = { readonly at: number; readonly stop: string }

/** Cuts a whole answer at the first complete stop sequence and drops everything after it, including tool calls. */
export function cutCompletion(completion: ChatCompletion, stops: readonly string[]): ChatCompletion {
  const [choice] = completion.choices
  const content = choice?.message.content
  const cut = typeof content === 'string' ? findCut(content, stops) : null
  if (!choice || !cut || typeof content !== 'string') return completion
  const { tool_calls: _, ...message } = choice.message
  const ended = {
    ...choice,
    message: { ...message, content: content.slice(0, cut.at) },
    finish_reason: 'stop',
    stop_reason: cut.stop,
  }
  return { ...completion, choices: [ended] }
}

/**
 * Cuts a stream at the first stop sequence and stops the model. A possible start of a stop sequence is held
 * back until it is decided. Usage that the model would report at its end is then unknown.
 */
export async function* cutChunks(
  chunks: AsyncIterable<ChatChunk>,
  stops: readonly string[],
): AsyncGenerator<ChatChunk> {
  if (stops.length === 0) return yield* chunks
  let held = ''
  for await (const chunk of chunks) {
    const [choice] = chunk.choices
    if (!choice) {
      yield chunk
      continue
    }
    const { content } = choice.delta ?? {}
    held += typeof content === 'string' ? content : ''
    const cut = findCut(held, stops)
    if (cut) {
      const delta = { content: held.slice(0, cut.at) }
      yield { ...chunk, choices: [{ ...choice, delta, finish_reason: 'stop', stop_reason: cut.stop }] }
      return
    }
    // No further text can complete a stop sequence.
    const isEnd = typeof choice.finish_reason === 'string' || hasCalls(choice.delta)
    const text = isEnd ? held : held.slice(0, held.length - pendingStopLength(held, stops))
    held = held.slice(text.length)
    const released = typeof content === 'string' || text !== '' ? { content: text } : {}
    yield { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, ...released } }] }
  }
}

/** Whether a chunk has a tool call, which ends the text before it. */
function hasCalls(delta: Readonly<Record<string, unknown>> | undefined): boolean {
  const { tool_calls, function_call } = delta ?? {}
  return (Array.isArray(tool_calls) && tool_calls.length > 0) || Boolean(function_call)
}

/**
 * The stop sequence that is complete first, as a model that generates token by token would find it; if two
 * end at the same position, the longer one.
 */
function findCut(text: string, stops: readonly string[]): Cut | null {
  const found = stops.map((stop) => ({ at: text.indexOf(stop), stop })).filter(({ at }) => at >= 0)
  return found.toSorted((one, other) => endOf(one) - endOf(other) || one.at - other.at)[0] ?? null
}

function endOf({ at, stop }: Cut): number {
  return at + stop.length
}

/** The length of the longest suffix of the text that may start a stop sequence. */
function pendingStopLength(text: string, stops: readonly string[]): number {
  const max = Math.min(text.length, Math.max(...stops.map(({ length }) => length)) - 1)
  for (let size = max; size > 0; size--) {
    const end = text.slice(-size)
    if (stops.some((stop) => stop.startsWith(end))) return size
  }
  return 0
}
