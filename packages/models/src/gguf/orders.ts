import type { ChatRequest } from '../chat/chat-messages.ts'

/** Settings of a model process. */
export type GgufSettings = {
  /** Absolute path of the .gguf file. */
  readonly file: string
  /** Maximum tokens of one conversation including its answer; null leaves it to the model and the available memory. */
  readonly contextTokens: number | null
  /** 0: one per core. */
  readonly threads: number
  /** Maximum number of concurrent answers. */
  readonly sequences: number
  readonly gpu: 'auto' | false
}

/** Properties of the loaded model. */
export type GgufAbout = { readonly contextTokens: number }

export type GgufOrder = { readonly request: ChatRequest }

/** A delta of the answer, as in a chat completions chunk. */
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

/** Why a request is refused. */
export type GgufRefusal = { readonly reason: string; readonly isTooLong: boolean }

export type GgufEmbeddingSettings = Omit<GgufSettings, 'sequences'>
/** Properties of the loaded model: the length of its vectors. */
export type GgufEmbeddingAbout = { readonly dimensions: number }
export type GgufEmbeddingOrder = { readonly inputs: readonly string[] }
export type GgufEmbeddingResult = {
  readonly vectors: readonly (readonly number[])[]
  readonly tokens: number
}
