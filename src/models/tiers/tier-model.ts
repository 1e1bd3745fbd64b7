import type { ChatChunk, ChatCompletion, ChatRequest } from '../chat/chat-messages.ts'
import type { ChatModel } from '../chat-model.ts'
import type { Message, MessageEvent } from '../messages/answer.ts'
import type { MessagesRequest } from '../messages/request.ts'
import type { MessagesModel } from '../messages-model.ts'
import { type DialectModel, type JoinedModel, joinModels } from './joined-model.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** One upstream of a tier, in both API dialects. */
export type TierUpstream = {
  readonly chat: ChatModel
  readonly messages: MessagesModel
  readonly health: UpstreamHealth
  /** Share of the calls, if the tier is weighted. */
  readonly weight: number
}

export type TierModelOptions = {
  readonly strategy: 'fallback' | 'weighted'
  readonly upstreams: readonly TierUpstream[]
  /** Random number from 0 to below 1; default Math.random. */
  readonly random?: () => number
}

/** The model of a tier: several upstreams behind one interface. */
export type TierModel = JoinedModel<ChatRequest, ChatCompletion, ChatChunk> & {
  /** The same upstreams with the messages API. */
  readonly messages: JoinedModel<MessagesRequest, Message, MessageEvent>
  /** Whether some upstream can be called; must not block. */
  readonly isReady: () => boolean
  /** Seconds until an upstream that asked for a pause can be called again; at least 1. */
  readonly pauseSeconds: () => number
  /**
   * The token count of a request from an upstream that counts tokens; null if none does or counting fails.
   */
  readonly countTokens: (
    request: Omit<MessagesRequest, 'max_tokens'>,
    signal: AbortSignal,
  ) => Promise<number | null>
}

/** Joins the upstreams of a tier into one model. */
export function createTierModel({ strategy, upstreams, random = Math.random }: TierModelOptions): TierModel {
  const pauseSeconds = () => Math.max(1, Math.min(...upstreams.map(({ health }) => health.pauseSeconds())))
  // Every upstream is checked, so that each is probed.
  const findReady = () => upstreams.filter(({ health }) => health.isReady())

  const join = <Request, Whole, Chunk>(
    toModel: (upstream: TierUpstream) => DialectModel<Request, Whole, Chunk>,
  ): JoinedModel<Request, Whole, Chunk> => {
    const members = upstreams.map((upstream) => ({ ...upstream, model: toModel(upstream) }))
    return joinModels({ strategy, members, pauseSeconds, random })
  }

  return {
    ...join(({ chat }) => chat),
    messages: join(({ messages }) => messages),
    pauseSeconds,
    isReady: () => findReady().length > 0,
    async countTokens(request, signal) {
      for (const { messages } of findReady()) {
        if (!messages.countTokens) continue
        try {
          return await messages.countTokens(request, signal)
        } catch {
          // Counting is free: try another upstream, then the caller estimates.
          signal.throwIfAborted()
        }
      }
      return null
    },
  }
}
