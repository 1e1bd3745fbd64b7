import {
  sendPieces,
  toChunk,
  toEvent,
  toUsageChunk,
  type UpstreamAnswer,
} from '@tollbook/testing/models/chat-upstream'

/** How often the model calls the tool before it answers. */
export const TOOL_CALLS = 3

/** A model that calls `look` until it has seen three results, and then says what it saw. */
export const callToolThenAnswer: UpstreamAnswer = async (call, response) => {
  const results = call.body.messages.filter(({ role }: { role: string }) => role === 'tool')
  const made = { index: 0, id: `call_${results.length}`, type: 'function' }
  const chunks =
    results.length < TOOL_CALLS
      ? [
          toChunk({
            role: 'assistant',
            tool_calls: [{ ...made, function: { name: 'look', arguments: '{"at":' } }],
          }),
          toChunk({ tool_calls: [{ index: 0, function: { arguments: `${results.length}}` } }] }),
          toChunk({}, 'tool_calls'),
        ]
      : [
          toChunk({
            role: 'assistant',
            content: results.map(({ content }: { content: string }) => content).join(' '),
          }),
          toChunk({}, 'stop'),
        ]
  const events = [...chunks, toUsageChunk(20, 4)].map(toEvent)
  await sendPieces([...events, 'data: [DONE]\n\n'])(call, response)
}
