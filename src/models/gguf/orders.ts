import type { ChatRequest } from '../chat/chat-messages.ts'

/** What a model's process loads. */
export type GgufSettings = {
  /** Absolute path of the .gguf file. */
  readonly file: string
  /** Tokens that one conversation may have, answer included; null leaves it to the model and the memory. */
  readonly contextTokens: number | null
  /** 0: as many as the machine has cores. */
  readonly threads: number
  /** Answers at a time. */
  readonly sequences: number
  readonly gpu: 'auto' | false
}

/** What it tells of the model. */
export type GgufAbout = { readonly contextTokens: number }

export type GgufOrder = { readonly request: ChatRequest }

/** A delta of the answer, as a chunk of the dialect has it. */
export type GgufDelta = Readonly<Record<string, unknown>>

export type GgufResult = {
  readonly finishReason: 'stop' | 'length' | 'tool_calls'
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
}

/** Why an order is not taken. */
export type GgufRefusal = { readonly reason: string; readonly isTooLong: boolean }
