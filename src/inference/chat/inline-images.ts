import { ProblemError } from '../../catalogue/problem.ts'
import {
  AnswerTooLarge,
  BlockedTarget,
  InvalidAnswer,
  TooManyFetches,
  Unreachable,
} from '../../fetching/failure.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import { isRecord } from './messages.ts'
import type { ChatInput } from './request-fields.ts'

type Messages = ChatInput['messages']

/** Chosen: what hosted models take of an image, and several times what they look at. */
const LARGEST_IMAGE_BYTES = 10 * 1024 * 1024
const IMAGE_TIMEOUT_MS = 15_000
/** Most images of one call that are fetched. */
export const MOST_FETCHED_IMAGES = 8

/** First bytes by content type (https://mimesniff.spec.whatwg.org/#image-type-pattern-matching-algorithm), Latin-1. */
const KINDS: readonly (readonly [contentType: string, start: string, at8: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n', ''],
  ['image/jpeg', '\xff\xd8\xff', ''],
  ['image/gif', 'GIF87a', ''],
  ['image/gif', 'GIF89a', ''],
  ['image/webp', 'RIFF', 'WEBPVP'],
]

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
  {
    fetch,
    payer,
    signal,
  }: { readonly fetch: SafeFetch; readonly payer: string; readonly signal: AbortSignal },
): Promise<Messages> {
  return Promise.all(
    messages.map(async (message, at) => {
      if (!Array.isArray(message.content)) return message
      const content = message.content.map(async (part, index) => {
        const url = findUrl(part)
        if (url === null) return part
        const place = `messages.${at}.content.${index}.image_url.url`
        const data = await fetchImage(url, place)
        return { ...part, image_url: { ...part.image_url, url: data } }
      })
      return { ...message, content: await Promise.all(content) }
    }),
  )

  async function fetchImage(url: string, parameter: string): Promise<string> {
    const limits = { maxBytes: LARGEST_IMAGE_BYTES, timeoutMs: IMAGE_TIMEOUT_MS }
    const { status, body } = await fetch(url, { accept: 'image/*', ...limits, payer, signal }).catch(
      (error: unknown) => {
        throw toProblem(error, parameter)
      },
    )
    if (status !== 200) throw refuse(parameter, `answers ${status}`)
    const start = Buffer.from(body.subarray(0, 16)).toString('latin1')
    const kind = KINDS.find(([, first, at8]) => start.startsWith(first) && start.startsWith(at8, 8))
    if (!kind) throw refuse(parameter, 'is no PNG, JPEG, GIF or WebP')
    return `data:${kind[0]};base64,${Buffer.from(body).toString('base64')}`
  }
}

/** The address of a part whose image has to be fetched; null of any other part. */
function findUrl(part: unknown): string | null {
  if (!isRecord(part) || !isRecord(part.image_url)) return null
  const { url } = part.image_url
  return typeof url === 'string' && !url.startsWith('data:') ? url : null
}

function refuse(parameter: string, detail: string): ProblemError {
  const faults = [{ parameter, detail }]
  return new ProblemError({ code: 'cannot_be_served', detail: `The image ${detail}.`, faults })
}

function toProblem(error: unknown, parameter: string): unknown {
  if (error instanceof BlockedTarget || error instanceof AnswerTooLarge || error instanceof InvalidAnswer) {
    return refuse(parameter, `cannot be fetched: ${error.message}`)
  }
  if (error instanceof Unreachable) {
    return new ProblemError({
      code: 'upstream_failed',
      detail: `The image cannot be reached: ${error.message}.`,
    })
  }
  if (error instanceof TooManyFetches) {
    const detail = 'Too many requests to the host of an image are under way.'
    return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds: 2 })
  }
  return error
}
