import { createLiveFetch, type LiveFetch } from '@tollbook/safe-fetch/live-fetch'
import type { ChatChunk, ChatCompletion, ChatRequest } from '../chat/chat-messages.ts'
import type { ChatModel } from '../chat/chat-model.ts'
import { type ChatUpstream, createChatUpstream } from '../chat/chat-upstream.ts'
import { createGgufUpstream } from '../gguf/gguf-upstream.ts'
import type { Message, MessageEvent } from '../messages/answer.ts'
import type { MessagesModel } from '../messages/messages-model.ts'
import { createMessagesUpstream } from '../messages/messages-upstream.ts'
import type { MessagesRequest } from '../messages/request.ts'
import { loadTokenCounter, type TokenCounter } from '../token-count.ts'
import { createTranslatedMessages } from '../translation/translated-messages.ts'
import { type JoinedModel, joinModels } from './joined-model.ts'
import type { HttpSettings, LocalSettings, TierFile, TierSettings, UpstreamSettings } from './tier-file.ts'
import { createUpstreamHealth, type HealthOptions, type UpstreamHealth } from './upstream-health.ts'

/** A tier that the operator has configured. */
export type OpenTier = {
  readonly model: TierModel
  /** Additional names of the tier. */
  readonly otherNames: readonly string[]
  readonly limits: TierSettings['limits']
  /** Why its upstreams are not alive, for the operator. */
  readonly notes: () => readonly string[]
  /** Base URLs of its HTTP upstreams. */
  readonly addresses: readonly string[]
  /** Limits and rates of its metered variant, if set. */
  readonly upto: TierSettings['upto']
  /** Estimates token counts if the upstreams do not report them. */
  readonly countTokens: TokenCounter
}
export type OpenTiers = ReadonlyMap<string, OpenTier>

type Options = {
  readonly userAgent: string
  readonly health?: HealthOptions
  readonly random?: () => number
}

/** One upstream of a tier. */
type TierUpstream = {
  /** Null for an upstream of the messages API. */
  readonly chat: ChatModel | null
  readonly messages: MessagesModel
  readonly health: UpstreamHealth
  /** Share of the calls, if the tier is weighted. */
  readonly weight: number
}

type TierModelOptions = {
  readonly strategy: 'fallback' | 'weighted'
  readonly upstreams: readonly TierUpstream[]
  readonly random?: (() => number) | undefined
}

/** The model of a tier: several upstreams behind one interface. Chats are answered by those of chat completions. */
type TierModel = JoinedModel<ChatRequest, ChatCompletion, ChatChunk> & {
  /** Whether any upstream answers chats. */
  readonly servesChats: boolean
  /** All upstreams, with the messages API. */
  readonly messages: JoinedModel<MessagesRequest, Message, MessageEvent>
  /** The token count of a request from an upstream that counts tokens; null if none does or counting fails. */
  readonly countTokens: (
    request: Omit<MessagesRequest, 'max_tokens'>,
    signal: AbortSignal,
  ) => Promise<number | null>
}

/** Maximum concurrent calls per upstream in this process; further ones go to the next upstream or are rejected. */
const CALLS_AT_A_TIME = 512

/**
 * Opens the tiers of the configuration file and probes each upstream; takes at most 3 seconds, or 20 if a
 * model is loaded.
 */
export async function openTiers({ tiers }: Pick<TierFile, 'tiers'>, options: Options): Promise<OpenTiers> {
  if (Object.keys(tiers).length === 0) return new Map()
  const countTokens = await loadTokenCounter()
  const probes: Promise<void>[] = []
  const opened = new Map<string, OpenTier>()
  const open = createOpener(options.userAgent)
  for (const [name, { strategy, upstreams, aliases: otherNames, limits, upto }] of Object.entries(tiers)) {
    const members = upstreams.map((settings) => {
      const { isAlive, explain, ...models } = open(settings)
      const health = createUpstreamHealth(isAlive, options.health)
      probes.push(health.probe())
      return { ...models, explain, health, weight: settings.weight }
    })
    const model = createTierModel({ strategy, upstreams: members, random: options.random })
    const notes = () => members.flatMap(({ explain }) => explain?.() ?? [])
    const addresses = upstreams.flatMap((one) => (one.dialect === 'gguf' ? [] : [one.base_url]))
    opened.set(name, { model, otherNames, limits, notes, addresses, upto, countTokens })
  }
  await Promise.all(probes)
  return opened
}

type OpenUpstream = Pick<TierUpstream, 'chat' | 'messages'> & Pick<ChatUpstream, 'isAlive' | 'explain'>

/** Opens upstreams; a model file used by several tiers is loaded once. */
function createOpener(userAgent: string): (settings: UpstreamSettings) => OpenUpstream {
  const local = new Map<string, ChatUpstream>()
  return (settings) => {
    if (settings.dialect !== 'gguf') return openHttp(settings, userAgent)
    const { weight: _, ...same } = settings
    const key = JSON.stringify(same)
    const chat = local.get(key) ?? openGguf(settings)
    local.set(key, chat)
    return ofChat(chat)
  }
}

/** An upstream of chat completions also serves messages. */
function ofChat(chat: ChatUpstream): OpenUpstream {
  const { isAlive, explain } = chat
  return { chat, messages: createTranslatedMessages(chat), isAlive, ...(explain && { explain }) }
}

export function openGguf(settings: LocalSettings): ChatUpstream {
  return createGgufUpstream({
    file: settings.file,
    gpu: settings.gpu,
    threads: settings.threads,
    contextTokens: settings.context_tokens ?? null,
    sequences: settings.sequences,
    maxWaiting: settings.queue,
    firstTokenMs: settings.first_token_ms,
    totalMs: settings.total_ms,
  })
}

/** The client of an upstream, with its own limits. */
export function createUpstreamFetch(
  { connect_ms: connectMs }: Pick<HttpSettings, 'connect_ms'>,
  userAgent: string,
): LiveFetch {
  return createLiveFetch({
    // The operator configures the URL, which may be on the same machine.
    allowPrivateNetwork: true,
    userAgent,
    limits: { connectMs, perHost: CALLS_AT_A_TIME, maxWaiting: 0 },
  })
}

function openHttp(settings: HttpSettings, userAgent: string): OpenUpstream {
  const fetch = createUpstreamFetch(settings, userAgent)
  const same = {
    baseUrl: settings.base_url,
    model: settings.model,
    key: settings.key,
    fetch,
    firstTokenMs: settings.first_token_ms,
    idleMs: settings.idle_ms,
    totalMs: settings.total_ms,
  }
  if (settings.dialect === 'messages') {
    const messages = createMessagesUpstream(same)
    return { chat: null, messages, isAlive: messages.isAlive }
  }
  return ofChat(createChatUpstream({ ...same, maxTokensField: settings.max_tokens_field }))
}

function createTierModel({ strategy, upstreams, random }: TierModelOptions): TierModel {
  const chats = upstreams.flatMap(({ chat, ...upstream }) => (chat ? [{ ...upstream, model: chat }] : []))
  const all = upstreams.map(({ messages, ...upstream }) => ({ ...upstream, model: messages }))
  const messages = joinModels({ strategy, members: all, random })
  return {
    ...joinModels({ strategy, members: chats, random }),
    isReady: messages.isReady,
    pauseSeconds: messages.pauseSeconds,
    servesChats: chats.length > 0,
    messages,
    async countTokens(request, signal) {
      for (const { messages } of upstreams.filter(({ health }) => health.isReady())) {
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
