import type {
  ImageBlock,
  MessagesRequest,
  ResultBlock,
  Turn,
  UserBlock,
} from '@tollbook/models/messages/request'
import { type FetchContext, fetchMedium, IMAGE, PDF } from '../fetch-medium.ts'
import { mediaOfRequest } from './texts-of-request.ts'

/** Max images and documents fetched per call. */
export const MAX_FETCHED = 8

/** The number of images and documents to fetch. */
export function countUrls(request: Omit<MessagesRequest, 'max_tokens'>): number {
  return mediaOfRequest(request).filter(({ source }) => source.type === 'url').length
}

/**
 * Fetches the images and documents that messages reference by URL and inlines them: the upstream may be in a
 * private network, and a caller must not choose an address that it requests.
 * @throws ProblemError if one cannot be fetched, or is not of a kind that models read.
 */
export async function inlineSources(
  request: MessagesRequest,
  context: FetchContext,
): Promise<MessagesRequest> {
  if (countUrls(request) === 0) return request
  const messages = request.messages.map((turn, at) => inlineTurn(turn, `messages.${at}.content`, context))
  return { ...request, messages: await Promise.all(messages) }
}

async function inlineTurn(turn: Turn, place: string, context: FetchContext): Promise<Turn> {
  if (turn.role !== 'user' || typeof turn.content === 'string') return turn
  const content = turn.content.map((block, at) => inlineUserBlock(block, `${place}.${at}`, context))
  return { ...turn, content: await Promise.all(content) }
}

async function inlineUserBlock(block: UserBlock, place: string, context: FetchContext): Promise<UserBlock> {
  if (block.type !== 'tool_result') return inlineBlock(block, place, context)
  if (!block.content || typeof block.content === 'string') return block
  const content = block.content.map((inner, at) => inlineBlock(inner, `${place}.content.${at}`, context))
  return { ...block, content: await Promise.all(content) }
}

async function inlineBlock(block: ResultBlock, place: string, context: FetchContext): Promise<ResultBlock> {
  if (block.type === 'image') return inlineImage(block, place, context)
  if (block.type !== 'document') return block
  const { source } = block
  if (source.type === 'url') {
    const { data } = await fetchMedium(PDF, { url: source.url, parameter: `${place}.source.url` }, context)
    return { ...block, source: { type: 'base64', media_type: 'application/pdf', data } }
  }
  if (source.type !== 'content' || typeof source.content === 'string') return block
  const content = source.content.map((inner, at) =>
    inner.type === 'image' ? inlineImage(inner, `${place}.source.content.${at}`, context) : inner,
  )
  return { ...block, source: { ...source, content: await Promise.all(content) } }
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

async function inlineImage(block: ImageBlock, place: string, context: FetchContext): Promise<ImageBlock> {
  const { source } = block
  if (source.type !== 'url') return block
  const { contentType, data } = await fetchMedium(
    IMAGE,
    { url: source.url, parameter: `${place}.source.url` },
    context,
  )
  const media_type = IMAGE_TYPES.find((type) => type === contentType)
  if (!media_type) throw new Error(`${contentType} is none of an image`)
  return { ...block, source: { type: 'base64', media_type, data } }
}
