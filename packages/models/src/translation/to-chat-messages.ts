import type { ChatRequest } from '../chat/chat-messages.ts'
import type {
  AssistantBlock,
  ImageBlock,
  MessagesRequest,
  ResultBlock,
  Turn,
  UserBlock,
} from '../messages/request.ts'

type ChatMessages = ChatRequest['messages']
type Part = Readonly<Record<string, unknown>>
type ToolResult = Extract<UserBlock, { type: 'tool_result' }>

/** Separator between joined text blocks and system prompts. */
const BETWEEN_TEXTS = '\n\n'

/** Converts the system prompt and turns to chat completions messages. */
export function toChatMessages({
  system,
  messages,
}: Pick<MessagesRequest, 'system' | 'messages'>): ChatMessages {
  return [
    ...(system ? [{ role: 'system', content: joinTexts(system) }] : []),
    ...messages.flatMap(toMessages),
  ]
}

function toMessages(turn: Turn): ChatMessages {
  const { role, content } = turn
  if (typeof content === 'string') return [{ role, content }]
  switch (role) {
    case 'system':
      return [{ role, content: joinTexts(content) }]
    case 'assistant':
      return [toAssistantMessage(content)]
    case 'user':
      return toUserMessages(content)
  }
}

function joinTexts(content: string | readonly { readonly text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join(BETWEEN_TEXTS)
}

/** Thinking is omitted: chat completions requests cannot express it. */
function toAssistantMessage(content: readonly AssistantBlock[]): Part {
  const texts = content.filter((block) => block.type === 'text')
  const calls = content.filter((block) => block.type === 'tool_use')
  const tool_calls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const joined = texts.length > 0 ? texts.map(({ text }) => text).join('') : null
  return {
    role: 'assistant',
    content: calls.length > 0 ? joined : (joined ?? ''),
    ...(calls.length > 0 && { tool_calls }),
  }
}

/** Tool results come before the rest of the turn: they must directly follow the calls. */
function toUserMessages(content: readonly UserBlock[]): ChatMessages {
  const results = content.filter((block) => block.type === 'tool_result')
  const images = results.flatMap(({ content: provided }) => toParts(provided)).filter(isImage)
  const rest = content.filter((block) => block.type !== 'tool_result')
  const parts = [...images, ...rest.flatMap(toPart)]
  const userMessages =
    parts.length > 0 || results.length === 0 ? [{ role: 'user', content: shorten(parts) }] : []
  return [...results.map(toToolMessage), ...userMessages]
}

/** A tool message holds only text; its images go to the user message after it. */
function toToolMessage({ tool_use_id, content, is_error }: ToolResult): Part {
  const texts = toParts(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  const joined = texts.join(BETWEEN_TEXTS)
  return { role: 'tool', tool_call_id: tool_use_id, content: is_error ? `Error: ${joined}` : joined }
}

function toParts(content: ToolResult['content']): readonly Part[] {
  if (typeof content === 'string') return [toTextPart(content)]
  return (content ?? []).flatMap(toPart)
}

/** A single text is sent as a string, which every server accepts. */
function shorten(parts: readonly Part[]): string | readonly Part[] {
  const [first, ...others] = parts
  if (!first) return ''
  return others.length === 0 && typeof first.text === 'string' ? first.text : parts
}

function toPart(block: ResultBlock): readonly Part[] {
  switch (block.type) {
    case 'text':
      return [toTextPart(block.text)]
    case 'image':
      return [toImagePart(block)]
    case 'search_result':
      return [
        toTextPart([block.title, block.source, ...block.content.map(({ text }) => text)].join(BETWEEN_TEXTS)),
      ]
    case 'document':
      return toDocumentParts(block)
  }
}

function toDocumentParts({
  source,
  title,
  context,
}: Extract<ResultBlock, { type: 'document' }>): readonly Part[] {
  const about = [title, context].filter((text) => typeof text === 'string' && text !== '')
  const head = (texts: readonly unknown[]) =>
    texts.length > 0 ? [toTextPart(texts.join(BETWEEN_TEXTS))] : []
  switch (source.type) {
    case 'text':
      return [toTextPart([...about, source.data].join(BETWEEN_TEXTS))]
    case 'content': {
      const { content } = source
      return [
        ...head(about),
        ...(typeof content === 'string' ? [toTextPart(content)] : content.flatMap(toPart)),
      ]
    }
    case 'base64':
    case 'url': {
      // A URL is replaced by the file before sending; until then only the `file_data` prefix distinguishes it.
      const file_data = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
      return [
        ...head(context ? [context] : []),
        { type: 'file', file: { filename: title || UNNAMED, file_data } },
      ]
    }
  }
}

/** Servers require a name for every file. */
const UNNAMED = 'document.pdf'

function toTextPart(text: string): Part {
  return { type: 'text', text }
}

function toImagePart({ source }: ImageBlock): Part {
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  return { type: 'image_url', image_url: { url } }
}

function isImage({ type }: Part): boolean {
  return type === 'image_url'
}
