import type { MessagesRequest, UserBlock } from '../messages/request.ts'
import type { Unserved } from '../unserved.ts'

const NO_CITATIONS = 'is not supported: this model does not cite sources'

/** Finds the parts of a messages request that a chat completions request cannot express. */
export function findUntranslatable(request: MessagesRequest): Unserved[] {
  const { messages, tools } = request
  const issues: Unserved[] = []
  const refuse = (parameter: string, detail: string) => issues.push({ parameter, detail })
  if (messages.at(-1)?.role === 'assistant') {
    refuse('messages', 'must end with a user turn: this model cannot continue an answer')
  }
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== 'user' || typeof content === 'string') continue
    for (const [index, block] of content.entries()) {
      for (const issue of findBlockIssues(block, `messages.${at}.content.${index}`)) issues.push(issue)
    }
  }
  for (const [at, { input_examples }] of (tools ?? []).entries()) {
    if (input_examples?.length) refuse(`tools.${at}.input_examples`, 'is not supported by this model')
  }
  if (request.thinking?.type === 'between_tools') {
    refuse('thinking.type', 'must be enabled, adaptive or disabled for this model')
  }
  return issues
}

function findBlockIssues(block: UserBlock, place: string): Unserved[] {
  switch (block.type) {
    case 'document':
    case 'search_result':
      return block.citations?.enabled ? [{ parameter: `${place}.citations`, detail: NO_CITATIONS }] : []
    case 'tool_result': {
      const { content } = block
      if (!content || typeof content === 'string') return []
      return content.flatMap((inner, at) => {
        const inside = `${place}.content.${at}`
        const isFile = inner.type === 'document' && ['base64', 'url'].includes(inner.source.type)
        if (isFile)
          return [
            {
              parameter: inside,
              detail: 'must not be a PDF: this model accepts PDFs only directly in a user turn',
            },
          ]
        return findBlockIssues(inner, inside)
      })
    }
    default:
      return []
  }
}
