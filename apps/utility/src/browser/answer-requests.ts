import type { Headers } from '@tollbook/safe-fetch/fetched-answer'
import { RenderError, type RenderLimits, type Resource, type ResourceRequest } from './browser-task.ts'
import { corsHeaders, toBrowserHeaders, toSentHeaders } from './page-walls.ts'

/** A paused request (`Fetch.requestPaused`). */
export type PausedRequest = {
  readonly requestId: string
  readonly frameId: string
  readonly resourceType: string
  readonly request: { readonly url: string; readonly method: string; readonly headers: Headers }
}

type Send = (method: string, params: object) => Promise<unknown>

type Options = {
  readonly frameId: string
  /** The page itself, which is not fetched again. */
  readonly page: { readonly headers: Headers; readonly body: Uint8Array }
  readonly limits: RenderLimits
  /** Whether images and stylesheets are fetched, too. */
  readonly isDrawn: boolean
  /** Returns null if the request cannot be fetched. */
  readonly fetch: (request: ResourceRequest) => Promise<Resource | null>
  readonly send: Send
}

export type RequestAnswers = {
  /** @throws RenderError if the page makes too many requests. */
  answer(paused: PausedRequest): Promise<void>
  /** When the last pending request was answered, by `performance.now()`; null while one is pending. */
  idleSince(): number | null
}

/** Resource types that can change the content of a page. */
const FETCHED = new Set(['Document', 'Script', 'XHR', 'Fetch'])
/** Concurrent fetches; each host has its own limit in addition. */
const MAX_CONCURRENT = 6
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i
/** One transparent pixel: scripts of a page may remove images that fail to load. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

/** Answers the requests of one page from the allowed fetches; the browser itself connects to no host. */
export function createRequestAnswers({
  frameId,
  page,
  limits,
  isDrawn,
  fetch,
  send,
}: Options): RequestAnswers {
  const waiting: (() => void)[] = []
  let [requests, fetched, bytes, working, open] = [0, 0, 0, 0, 0]
  let isPageGiven = false
  let idleSince: number | null = performance.now()

  async function respond(paused: PausedRequest): Promise<unknown> {
    const { requestId, request, resourceType } = paused
    const isMain = resourceType === 'Document' && paused.frameId === frameId
    const fulfill = (responseCode: number, responseHeaders: object, body = '') =>
      send('Fetch.fulfillRequest', { requestId, responseCode, responseHeaders, body })
    // A 204 leaves the current page in place; a failure would replace it by the browser's error page.
    const refuse = () =>
      isMain ? fulfill(204, []) : send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    const cors = corsHeaders(request.headers)
    if (request.method === 'OPTIONS') return fulfill(204, cors)
    if (request.method !== 'GET') return refuse()
    if (isMain && !isPageGiven) {
      isPageGiven = true
      return fulfill(200, toBrowserHeaders(page.headers, { isDocument: true }), toBase64(page.body))
    }
    const isLook = resourceType === 'Image' || resourceType === 'Stylesheet'
    if (resourceType === 'Image' && !isDrawn) return fulfill(200, [typeOf('image/gif'), ...cors], PIXEL)
    if (resourceType === 'Stylesheet' && !isDrawn) return fulfill(200, [typeOf('text/css'), ...cors])
    if (!(isLook || FETCHED.has(resourceType)) || (resourceType === 'Document' && !isMain)) return refuse()
    const resource = await fetchOnce(request)
    if (!resource) return refuse()
    const { status, headers, body } = resource
    const isRedirect = status >= 300 && status < 400
    if (isMain && !isRedirect && !HTML.test(headers['content-type'] ?? '')) return refuse()
    const provided = toBrowserHeaders(headers, { isDocument: isMain })
    return fulfill(status, [...provided, ...cors], toBase64(body))
  }

  async function fetchOnce({ url, headers }: PausedRequest['request']): Promise<Resource | null> {
    if (fetched >= limits.maxFetched || !/^https?:/i.test(url)) return null
    fetched += 1
    if (working >= MAX_CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve))
    working += 1
    try {
      const left = Math.min(limits.maxResourceBytes, limits.maxBytes - bytes)
      if (left <= 0) return null
      const resource = await fetch({ url, headers: toSentHeaders(headers), maxBytes: left })
      bytes += resource?.body.byteLength ?? 0
      return resource
    } finally {
      working -= 1
      waiting.shift()?.()
    }
  }

  return {
    async answer(paused) {
      requests += 1
      if (requests > limits.maxRequests) {
        throw new RenderError({ of: 'page', detail: `it makes more than ${limits.maxRequests} requests` })
      }
      open += 1
      idleSince = null
      try {
        await respond(paused)
      } catch (error) {
        // A page that has navigated away no longer waits for its responses.
        if (!(error instanceof RenderError) || error.failure.of === 'browser') throw error
      } finally {
        open -= 1
        if (open === 0) idleSince = performance.now()
      }
    },
    idleSince: () => idleSince,
  }
}

function typeOf(value: string) {
  return { name: 'content-type', value }
}

function toBase64(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64')
}
