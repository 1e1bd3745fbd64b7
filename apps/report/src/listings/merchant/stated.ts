import type { Listing } from '../listing.ts'

/** An endpoint in a merchant's document without PaymentRequirements: its 402 response has them. */
export type Candidate = {
  /** Full URL on the host of the document. */
  readonly resource: string
  /** HTTP method; empty if the document has none. */
  readonly operation: string
  /** Plain text; empty if the document has none. */
  readonly description: string
}

/** What a document on a merchant's host states about the endpoints of that host. */
export type Stated = {
  readonly listings: readonly Listing[]
  readonly candidates: readonly Candidate[]
}

/** Longer URLs are not read. */
export const MAX_URL_LENGTH = 2048

/** A URL in a document, with `:name` for `{name}`; null for another origin, which only describes itself. */
export function toOwnResource(text: string, base: string): string | null {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text.replaceAll(/\{(\w+)\}/g, ':$1'), base) : null
  if (url?.origin !== new URL(base).origin) return null
  url.hash = ''
  return url.username === '' && url.password === '' ? url.href : null
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The method in upper case; empty if it is not a method. */
export function toMethod(text: string): string {
  const method = text.toUpperCase()
  return METHODS.has(method) ? method : ''
}
