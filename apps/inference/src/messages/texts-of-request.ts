import type { MessagesRequest, ResultBlock, Turn, UserBlock } from '@tollbook/models/messages/request'

type Asked = Omit<MessagesRequest, 'max_tokens'>
type Block = Exclude<Turn['content'], string>[number]

/** Every text of a request that the model reads: prompts, messages, tool calls and results, and their schemas. */
export function textsOfRequest({ system, messages, tools, output_config }: Asked): readonly string[] {
  return [
    ...(typeof system === 'string' ? [system] : (system ?? []).map(({ text }) => text)),
    ...messages.flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.flatMap(textsOf),
    ),
    ...(tools ?? []).flatMap(({ name, description, input_schema }) => [
      name,
      description ?? '',
      JSON.stringify(input_schema),
    ]),
    ...(output_config?.format ? [JSON.stringify(output_config.format.schema)] : []),
  ]
}

/** The blocks of a request that are images or documents, including those in tool results. */
export function mediaOfRequest({ messages }: Asked): readonly Extract<UserBlock, { source: object }>[] {
  return messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content !== 'string' ? content.flatMap(mediaOf) : [],
  )
}

function mediaOf(block: UserBlock | ResultBlock): Extract<UserBlock, { source: object }>[] {
  if (block.type === 'tool_result') {
    return typeof block.content === 'string' ? [] : (block.content ?? []).flatMap(mediaOf)
  }
  if (block.type === 'document' && block.source.type === 'content') {
    const { content } = block.source
    return typeof content === 'string' ? [] : content.flatMap(mediaOf)
  }
  return block.type === 'image' || block.type === 'document' ? [block] : []
}

function textsOf(block: Block | ResultBlock): string[] {
  switch (block.type) {
    case 'text':
      return [block.text]
    case 'thinking':
      return [block.thinking]
    case 'tool_use':
      return [block.name, JSON.stringify(block.input)]
    case 'tool_result':
      return typeof block.content === 'string' ? [block.content] : (block.content ?? []).flatMap(textsOf)
    case 'search_result':
      return [block.title, block.source, ...block.content.map(({ text }) => text)]
    case 'document': {
      const { source, title, context } = block
      const about = [title ?? '', context ?? '']
      if (source.type === 'text') return [...about, source.data]
      if (source.type !== 'content') return about
      return [
        ...about,
        ...(typeof source.content === 'string' ? [source.content] : source.content.flatMap(textsOf)),
      ]
    }
    case 'image':
    case 'redacted_thinking':
      return []
  }
}
