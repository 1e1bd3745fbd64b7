import { isRecord } from '@tollbook/flow/is-record'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { fetchMedium, IMAGE } from '../fetch-medium.ts'
import type { ChatInput } from './request-fields.ts'

type Messages = ChatInput['messages']

export const MAX_FETCHED_IMAGES = 8

export function countFetchedImages(messages: Messages): number {
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(findUrl).length
}

/**
 * Fetches the images that messages reference by URL and inlines them: the upstream may be in a private
 * network, and a caller must not choose an address that it requests.
 * @throws ProblemError if an image cannot be fetched, or is not of a kind that models read.
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

/** The URL of a part whose image must be fetched; null for any other part. */
function findUrl(part: unknown): string | null {
  if (!isRecord(part) || !isRecord(part.image_url)) return null
  const { url } = part.image_url
  return typeof url === 'string' && !url.startsWith('data:') ? url : null
}
