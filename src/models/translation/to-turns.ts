import { type ChatMessage, chatMessage, type UserPart } from '../chat/chat-message.ts'
import type { ChatRequest } from '../chat/chat-messages.ts'
import { ModelRefused } from '../failure.ts'
import type { AssistantBlock, ImageBlock, MessagesRequest, Turn, UserBlock } from '../messages/request.ts'
import { toInput } from './read-tool-calls.ts'
import { BETWEEN_TEXTS, joinTexts, UNNAMED } from './to-chat-messages.ts'

type Turns = Pick<MessagesRequest, 'messages' | 'system'>
type SpokenTurn =
  | { readonly role: 'user'; content: UserBlock[] }
  | { readonly role: 'assistant'; content: AssistantBlock[] }

/**
 * Converts chat completions messages to a system prompt and turns: consecutive messages of one role are
 * merged, tool results become part of user turns, and all system prompts move to the front.
 * @throws ModelRefused that names what cannot be expressed, such as audio
 */
export function toTurns(messages: ChatRequest['messages']): Turns {
  const prompts: string[] = []
  const turns: SpokenTurn[] = []
  for (const [at, provided] of messages.entries()) {
    const message = read(provided, at)
    if (message.role === 'system' || message.role === 'developer') prompts.push(joinTexts(message.content))
    else addTurn(turns, toTurn(message, at))
  }
  if (turns.length === 0) refuse('messages', 'must contain a user message')
  const system = prompts.filter((text) => text !== '').join(BETWEEN_TEXTS)
  return { messages: turns.map(shorten), ...(system !== '' && { system }) }
}

function read(provided: ChatRequest['messages'][number], at: number): ChatMessage {
  const message = chatMessage.safeParse(provided)
  if (!message.success) throw refuse(`messages.${at}`, 'has a form that this model does not support')
  return message.data
}

function addTurn(turns: SpokenTurn[], turn: SpokenTurn): void {
  const last = turns.at(-1)
  // The messages API rejects an empty text.
  if (turn.content.length === 0) return
  if (last?.role === 'user' && turn.role === 'user') last.content.push(...turn.content)
  else if (last?.role === 'assistant' && turn.role === 'assistant') last.content.push(...turn.content)
  else turns.push(turn)
}

/** A turn with a single plain text is sent as a string. */
function shorten({ role, content }: SpokenTurn): Turn {
  const [first] = content
  if (content.length === 1 && first?.type === 'text') return { role, content: first.text }
  return role === 'user' ? { role, content } : { role, content }
}

function toTurn(message: Exclude<ChatMessage, { role: 'system' | 'developer' }>, at: number): SpokenTurn {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: toUserBlocks(message.content, at) }
    case 'assistant':
      return { role: 'assistant', content: toAssistantBlocks(message, at) }
    case 'tool': {
      const { tool_call_id, content } = message
      const result = joinTexts(content)
      const tool_use_id = toId(tool_call_id)
      return {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id, ...(result !== '' && { content: result }) }],
      }
    }
    case 'function':
      return refuse(`messages.${at}.role`, 'must not be function for this model: use role tool')
  }
}

function toAssistantBlocks(
  message: Extract<ChatMessage, { role: 'assistant' }>,
  at: number,
): AssistantBlock[] {
  const { content, tool_calls, function_call } = message
  if (function_call) refuse(`messages.${at}.function_call`, 'is not supported by this model: use tool_calls')
  const texts =
    typeof content === 'string'
      ? [content]
      : (content ?? []).map((part) => (part.type === 'text' ? part.text : part.refusal))
  return [
    ...texts.flatMap(toTextBlocks),
    ...(tool_calls ?? []).map(({ id, function: called }) => ({
      type: 'tool_use' as const,
      id: toId(id),
      name: called.name,
      input: { ...toInput(called.arguments) },
    })),
  ]
}

function toUserBlocks(content: string | readonly UserPart[], at: number): UserBlock[] {
  if (typeof content === 'string') return toTextBlocks(content)
  return content.flatMap((part, index) => toUserBlock(part, `messages.${at}.content.${index}`))
}

function toUserBlock(part: UserPart, place: string): UserBlock[] {
  switch (part.type) {
    case 'text':
      return toTextBlocks(part.text)
    case 'image_url':
      return [toImageBlock(part.image_url.url)]
    case 'file':
      return [toDocumentBlock(part.file, `${place}.file`)]
    case 'input_audio':
      return refuse(place, 'must not be audio: this model does not support it')
  }
}

function toTextBlocks(text: string): { type: 'text'; text: string }[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

function toImageBlock(url: string): ImageBlock {
  const inside = openDataUrl(url)
  const media_type = IMAGE_TYPES.find((type) => type === inside?.type)
  if (!inside || !media_type) return { type: 'image', source: { type: 'url', url } }
  return { type: 'image', source: { type: 'base64', media_type, data: inside.data } }
}

function toDocumentBlock(
  { file_data, filename }: Readonly<Record<string, unknown>> & { readonly file_data: string },
  place: string,
): UserBlock {
  const { type, data } = openDataUrl(file_data) ?? refuse(place, 'must contain a data: URL for this model')
  const title =
    typeof filename === 'string' && filename !== '' && filename !== UNNAMED ? { title: filename } : {}
  if (type === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: type, data }, ...title }
  }
  if (type !== 'text/plain') return refuse(place, 'must be PDF or plain text for this model')
  const text = Buffer.from(data, 'base64').toString('utf8')
  return { type: 'document', source: { type: 'text', media_type: type, data: text }, ...title }
}

/** The base64 content of a data URL (RFC 2397); null for any other text. */
function openDataUrl(url: string): { readonly type: string; readonly data: string } | null {
  const comma = url.indexOf(',')
  const [type = '', ...parameters] = url.slice('data:'.length, Math.max(comma, 'data:'.length)).split(';')
  if (!url.startsWith('data:') || parameters.at(-1) !== 'base64') return null
  return { type: type.toLowerCase(), data: url.slice(comma + 1) }
}

/** In the messages API, call ids consist of letters, digits, hyphens and underscores. */
function toId(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}

/** Rejects a request that the dialect of the model's upstream cannot express. @throws ModelRefused always */
export function refuse(parameter: string, detail: string): never {
  throw new ModelRefused(`the dialect of the upstream does not support: ${parameter}`, {
    isTooLong: false,
    unserved: [{ parameter, detail }],
  })
}
