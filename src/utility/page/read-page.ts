import * as z from 'zod'
import type { Address, Call } from '../../catalogue/endpoint.ts'
import type { FetchedAnswer, Headers } from '../../fetching/fetched-answer.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import { ProblemError } from '../../http/problem.ts'
import { toFetchProblem } from './fetch-problem.ts'

/** A page as received; decoded and parsed only in a worker. */
export type Page = {
  /** The URL as requested. */
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  readonly redirects: readonly { readonly url: string; readonly status: number }[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly fetchMs: number
}

/** The parts of a page that workers need. */
export type PageSource = {
  readonly url: string
  readonly contentType: string
  readonly body: Uint8Array
}

/** Limit after decoding; pages of articles are smaller. */
const MAX_PAGE_BYTES = 5_000_000
const FETCH_TIMEOUT_MS = 15_000
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i
const MAX_URL_LENGTH = 2_048

export const pageUrl = z
  .url({ protocol: /^https?$/ })
  .max(MAX_URL_LENGTH)
  .describe('Public http(s) URL of the page.')

/** Fields in every answer about a page. */
export const pageFields = {
  url: z.string(),
  final_url: z.string().describe('URL after redirects.'),
  status: z.int(),
  redirects: z.array(z.object({ url: z.string(), status: z.int() })),
  fetch_ms: z.number(),
  bytes: z.int().describe('Size of the page, decoded.'),
}

/**
 * Fetches a page for a call.
 * @throws ProblemError, none of which is charged, if the target is not allowed, does not answer, answers with
 * an error, or with anything but HTML.
 * @param headers of the request, names in lower case; a redirect to another origin drops them
 */
export async function readPage(
  url: string,
  {
    ports,
    payer,
    signal,
  }: Pick<Call<unknown, { readonly fetch: SafeFetch }, Address>, 'ports' | 'payer' | 'signal'>,
  headers: Headers = {},
): Promise<Page> {
  let answer: FetchedAnswer
  try {
    answer = await ports.fetch(url, {
      payer,
      signal,
      maxBytes: MAX_PAGE_BYTES,
      timeoutMs: FETCH_TIMEOUT_MS,
      headers,
      accept: 'text/html, application/xhtml+xml;q=0.9',
    })
  } catch (error) {
    signal.throwIfAborted()
    throw toFetchProblem(error, 'url')
  }
  const { status } = answer
  if (status >= 400) {
    const members = { target_status: status }
    throw new ProblemError({ code: 'upstream_failed', detail: `The page responded with ${status}.`, members })
  }
  const type = answer.headers['content-type'] ?? ''
  if (!HTML.test(type)) {
    const said = type === '' ? 'has no content type' : `is ${type.slice(0, 100)}`
    throw new ProblemError({ code: 'cannot_be_served', detail: `The page ${said}; HTML is required.` })
  }
  return {
    url,
    finalUrl: answer.url,
    status,
    redirects: answer.redirects.map((hop) => ({ url: hop.url, status: hop.status })),
    headers: answer.headers,
    body: answer.body,
    fetchMs: answer.totalMs,
  }
}

export function toSource({ finalUrl, headers, body }: Page): PageSource {
  return { url: finalUrl, contentType: headers['content-type'] ?? '', body }
}

/** The fields of `pageFields`. */
export function describePage({ url, finalUrl, status, redirects, body, fetchMs }: Page) {
  return {
    url,
    final_url: finalUrl,
    status,
    redirects: [...redirects],
    bytes: body.byteLength,
    fetch_ms: Math.round(fetchMs * 10) / 10,
  }
}
