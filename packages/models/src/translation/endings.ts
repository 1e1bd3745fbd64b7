/** How a choice of a chat completion ended, and what determines the stop reason of a message. */
export type ChatEnding = {
  readonly finishReason: string
  /** The stop sequence that matched, if the upstream reports it: vLLM does, as `stop_reason`. */
  readonly stoppedAt: unknown
  readonly stopSequences: readonly string[]
  readonly hasTools: boolean
  readonly isRefusal: boolean
}

export type MessageEnding = { readonly stop_reason: string; readonly stop_sequence: string | null }

/**
 * Maps to the stop reason of a message
 * (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
 */
export function toStopReason(ending: ChatEnding): MessageEnding {
  const { finishReason, stoppedAt, stopSequences, hasTools, isRefusal } = ending
  const plainly = (stop_reason: string): MessageEnding => ({ stop_reason, stop_sequence: null })
  if (isRefusal) return plainly('refusal')
  switch (finishReason) {
    case 'length':
      return plainly('max_tokens')
    case 'tool_calls':
    case 'function_call':
      return plainly('tool_use')
    case 'content_filter':
      return plainly('refusal')
    default:
      if (typeof stoppedAt === 'string' && stopSequences.includes(stoppedAt)) {
        return { stop_reason: 'stop_sequence', stop_sequence: stoppedAt }
      }
      // Some servers also finish tool calls with `stop`.
      return plainly(hasTools ? 'tool_use' : 'end_turn')
  }
}
