/** How a choice of chat completions ended, and what of it decides how a message did. */
export type ChatEnding = {
  readonly finishReason: string
  /** The text at which the model stopped, where the upstream tells: vLLM does, as `stop_reason`. */
  readonly stoppedAt: unknown
  /** Texts that the caller wanted to stop at. */
  readonly stopSequences: readonly string[]
  readonly hasTools: boolean
  readonly isRefusal: boolean
}

export type MessageEnding = { readonly stop_reason: string; readonly stop_sequence: string | null }

/** How a message ended (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons). */
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
      // Some servers finish calls of tools with `stop`, too.
      return plainly(hasTools ? 'tool_use' : 'end_turn')
  }
}

/** How a choice ended, by the reason of a message; one that this version does not know is a plain end. */
export function toFinishReason(stopReason: string | null | undefined): string {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'tool_use':
      return 'tool_calls'
    case 'refusal':
      return 'content_filter'
    default:
      return 'stop'
  }
}
