import type { Address } from '@tollbook/chain/hex'
import { InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import type { State } from '../../state/state.ts'
import { confirmListings, noteFailure, replaceListings } from '../stored-listings.ts'
import { type HostReader, RestingHost } from './host-reader.ts'
import { readOpenApi } from './openapi-document.ts'
import type { Candidate, Stated } from './stated.ts'
import { readWellKnown } from './well-known.ts'

/** Ten times the largest OpenAPI documents of public APIs with prices. */
const DOCUMENT_BYTES = 4_000_000

const DOCUMENTS: Readonly<Record<string, (document: unknown, base: string, readAt: Date) => Stated>> = {
  '/openapi.json': readOpenApi,
  '/.well-known/x402': readWellKnown,
}

export type DocumentsRead = {
  readonly state: State
  /** Scheme, host and port, as in `URL.origin`. */
  readonly origin: string
  readonly host: HostReader
  /** The payees that the host may describe. */
  readonly payees: ReadonlySet<Address>
  readonly readAt: Date
  readonly signal: AbortSignal
}

export type ReadDocuments = {
  /** Resources whose 402 response is still needed. */
  readonly candidates: readonly Candidate[]
  /** Call it when all of them were queried: until then the documents must be sent in full again. */
  readonly rememberValidators: () => Promise<void>
}

/**
 * Stores the listings of a host's documents, each as a source. One that cannot be read keeps them, a removed
 * one leaves none. @throws RestingHost
 */
export async function readDocuments(read: DocumentsRead): Promise<ReadDocuments> {
  const { state, origin, readAt } = read
  const candidates: Candidate[] = []
  const validators = new Map<string, Validators>()
  for (const [path, parse] of Object.entries(DOCUMENTS)) {
    const source = origin + path
    try {
      const document = await readDocument(read, source)
      if (document === 'unchanged') {
        await confirmListings(state, source, readAt)
        continue
      }
      const stated = document ? parse(document.value, document.base, readAt) : null
      const trusted = (stated?.listings ?? []).filter(({ payTo }) => read.payees.has(payTo))
      await replaceListings(state, source, { listings: distinct(trusted), readAt })
      candidates.push(...(stated?.candidates ?? []))
      if (document) validators.set(source, document.validators)
    } catch (error) {
      read.signal.throwIfAborted()
      if (error instanceof RestingHost || !(error instanceof Error)) throw error
      await noteFailure(state, source, { reason: `${error.name}: ${error.message}`, at: readAt })
    }
  }
  return {
    candidates,
    async rememberValidators() {
      for (const [source, { etag, modified }] of validators) {
        await state.db
          .updateTable('report_listing_sources')
          .set({ etag, modified })
          .where('source', '=', source)
          .execute()
      }
    },
  }
}

/** `ETag` and `Last-Modified` of a document (RFC 9110 section 8.8), as the host sent them. */
type Validators = { readonly etag: string | null; readonly modified: string | null }
type Document = { readonly value: unknown; readonly base: string; readonly validators: Validators }

async function readDocument(
  { state, host }: DocumentsRead,
  source: string,
): Promise<Document | 'unchanged' | null> {
  const known = await state.db
    .selectFrom('report_listing_sources')
    .select(['etag', 'modified'])
    .where('source', '=', source)
    .executeTakeFirst()
  const headers = {
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.modified && { 'if-modified-since': known.modified }),
  }
  const answer = await host.request(source, { accept: 'application/json', headers, maxBytes: DOCUMENT_BYTES })
  if (answer?.status === 304) return 'unchanged'
  if (answer && answer.status >= 500) throw new Unreachable(`the host answered ${answer.status}`)
  if (answer?.status !== 200) return null
  // A redirect from http to https on the same host is trusted. Another host or port is not: under it, the host
  // would count as one more source of its own name.
  if (new URL(answer.url).host !== new URL(source).host) return null
  const value = parseJson(answer.body)
  if (value === undefined) throw new InvalidAnswer('the document is not JSON')
  const { etag = null, 'last-modified': modified = null } = answer.headers
  return { value, base: answer.url, validators: { etag, modified } }
}

/** A document may contain a URL twice; the first one counts. */
function distinct(listings: Stated['listings']): Stated['listings'] {
  const byKey = Map.groupBy(listings, (each) => JSON.stringify([each.payTo, each.resource, each.operation]))
  return [...byKey.values()].flatMap(([first]) => first ?? [])
}
