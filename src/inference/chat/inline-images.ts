import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import { fetchMedium, IMAGE } from '../fetch-medium.ts'
import { isRecord } from './messages.ts'
import type { ChatInput } from './request-fields.ts'

type Messages = ChatInput['messages']

/** Most images of one call that are fetched. */
export const MAX_FETCHED_IMAGES = 8

/** How many images would be fetched. */
export function countFetchedImages(messages: Messages): number {
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(findUrl).length
}

/**
 * Fetches the images that messages name by URL and puts them inside: the upstream may stand in a private network, and
 * must not be led to an address by a caller.
 * @throws ProblemError where an image cannot be fetched, or is none that models read.
 */
export async function inlineImages(
  messages: Messages,
  way: { readonly fetch: SafeFetch; readonly payer: string; readonly signal: AbortSignal },
): Promise<Messages> {
  return Promise.all(
    messages.map(async (message, at) => {
      if (!Array.isArray(message.content)) return message
      const content = message.content.map(async (part, index) => {
        const url = findUrl(part)
        if (url === null) return part
        const place = `messages.${at}.content.${index}.image_url.url`
        const { contentType, data } = await fetchMedium(IMAGE, { url, parameter: place }, way)
        return { ...part, image_url: { ...part.image_url, url: `data:${contentType};base64,${data}` } }
      })
      return { ...message, content: await Promise.all(content) }
    }),
  )
}

/** The address of a part whose image has to be fetched; null of any other part. */
function findUrl(part: unknown): string | null {
  if (!isRecord(part) || !isRecord(part.image_url)) return null
  const { url } = part.image_url
  return typeof url === 'string' && !url.startsWith('data:') ? url : null
}
