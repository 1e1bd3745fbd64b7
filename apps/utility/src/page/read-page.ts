import type { Address, Call } from '@tollbook/endpoints/endpoint'
import type { Block } from '@tollbook/extract/document/block'
import { ProblemError } from '@tollbook/http/problem'
import type { FetchedAnswer, Headers } from '@tollbook/safe-fetch/fetched-answer'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import * as z from 'zod'
import { type DocumentKind, documentKindOf } from './document-kind.ts'
import { toFetchProblem } from './fetch-problem.ts'

/** A page as received; decoded and parsed only in a worker. */
export type Page = {
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
  /** What text recognition found on pages of a PDF, by number; of an image, on page 1. */
  readonly recognised?: ReadonlyMap<number, readonly Block[]>
}

/** Limit after decoding; pages of articles are smaller, PDFs with images are not. */
export const MAX_BYTES = { page: 5_000_000, document: 20_000_000 }
const ACCEPTED = 'text/html, application/xhtml+xml;q=0.9'
export const READABLE = 'HTML, PDF, RSS, Atom, JSON, Markdown, plain text, PNG, JPEG, WebP, GIF and TIFF'
const FETCH_TIMEOUT_MS = 15_000
const MAX_URL_LENGTH = 2_048

export const pageUrl = z
  .url({ protocol: /^https?$/ })
  .max(MAX_URL_LENGTH)
  .describe('Public http(s) URL of the page.')

/** Fields in every answer about a page. */
export const pageFields = {
  url: z.string(),
  final_url: z.string().describe('After redirects.'),
  status: z.int(),
  redirects: z.array(z.object({ url: z.string(), status: z.int() })),
  fetch_ms: z.number(),
  bytes: z.int().describe('Decoded.'),
}

/**
 * Fetches a page for a call.
 * @throws ProblemError, none of which is charged, if the target is not allowed, does not answer, answers with
 * an error, or with a document of another kind.
 * @param kinds that the caller reads; default HTML alone
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
  kinds: readonly DocumentKind[] = ['html'],
): Promise<Page> {
  let answer: FetchedAnswer
  try {
    answer = await ports.fetch(url, {
      payer,
      signal,
      maxBytes: kinds.includes('pdf') ? MAX_BYTES.document : MAX_BYTES.page,
      timeoutMs: FETCH_TIMEOUT_MS,
      headers,
      accept: kinds.length === 1 ? ACCEPTED : `${ACCEPTED}, */*;q=0.5`,
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
  const kind = documentKindOf({ url: answer.url, contentType: type, body: answer.body })
  if (kind === null || !kinds.includes(kind)) {
    const said = type === '' ? 'has no content type' : `is ${type.slice(0, 100)}`
    const needed = kinds.length === 1 ? 'HTML is required' : `readable are ${READABLE}`
    throw new ProblemError({ code: 'cannot_be_served', detail: `The page ${said}; ${needed}.` })
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
