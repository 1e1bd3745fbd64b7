import type { Listing } from '../listing.ts'

/** An endpoint that a merchant's document names without its terms: its 402 answer has them. */
export type Candidate = {
  /** Full URL on the host of the document. */
  readonly resource: string
  /** HTTP method; empty when the document does not say. */
  readonly operation: string
  /** Plain text; empty when the document has none. */
  readonly description: string
}

/** What a document of a merchant's host says of the endpoints of that very host. */
export type Stated = {
  /** Endpoints with their price and payee. */
  readonly listings: readonly Listing[]
  readonly candidates: readonly Candidate[]
}

/**
 * Reads a URL as a document of an origin writes it, absolute or relative. Path parameters in braces become `:name`,
 * as discovery catalogues write them.
 * @returns null for what is no URL of that origin: a host speaks for itself alone.
 */
export function toOwnResource(text: string, base: string): string | null {
  const url = text.length <= 2048 ? URL.parse(text.replaceAll(/\{(\w+)\}/g, ':$1'), base) : null
  if (url?.origin !== new URL(base).origin) return null
  url.hash = ''
  return url.username === '' && url.password === '' ? url.href : null
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The method in upper case; empty for what is none. */
export function toMethod(text: string): string {
  const method = text.toUpperCase()
  return METHODS.has(method) ? method : ''
}
