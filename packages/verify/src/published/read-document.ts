import { AnswerTooLarge, BlockedTarget } from '@tollbook/flow/failure'
import { CannotCheck, UnusableDocument } from './failure.ts'

export type Document = {
  readonly bytes: Uint8Array
  /** After redirects; null for a file. */
  readonly url: string | null
}

/** Fetches a URL. @throws BlockedTarget for an address that it may not reach; AnswerTooLarge; what else it likes. */
export type FetchDocument = (url: string, options: FetchOptions) => Promise<FetchedDocument>

export type FetchOptions = {
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Absent: as many as the fetch allows. */
  readonly maxRedirects?: number
  readonly signal: AbortSignal
}

export type FetchedDocument = {
  readonly status: number
  readonly body: Uint8Array
  /** After redirects. */
  readonly url: string
}

export type DocumentSource = {
  /** Fetches public URLs: every address is checked, redirects are followed. */
  readonly fetchPublic: FetchDocument
  /** Can reach private addresses, too; only for URLs that a person typed, and never through a redirect. */
  readonly fetchTyped: FetchDocument
  /** Reads a file; more bytes than `maxBytes` show that it is too large. Absent: there are no files, as in a page. */
  readonly readFile?: (path: string, maxBytes: number) => Promise<Uint8Array>
}

export type DocumentRequest = {
  readonly source: DocumentSource
  /** For messages, such as `the report`. */
  readonly name: string
  readonly maxBytes: number
  /** Whether a person typed the URL, or one of the same origin: only then may it be private. */
  readonly isTyped: boolean
}

const TIMEOUT_MS = 120_000

export function isUrl(location: string): boolean {
  return /^https?:\/\//i.test(location)
}

/**
 * Reads a document from a URL or a file; null when the server answers that there is none (404 or 410).
 * @throws UnusableDocument when it is too large; CannotCheck when it cannot be read.
 */
export async function readDocument(
  location: string,
  request: DocumentRequest,
  signal: AbortSignal,
): Promise<Document | null> {
  return isUrl(location) ? readUrl(location, request, signal) : readFile(location, request)
}

async function readUrl(
  url: string,
  { source, name, maxBytes, isTyped }: DocumentRequest,
  signal: AbortSignal,
): Promise<Document | null> {
  const options = { maxBytes, timeoutMs: TIMEOUT_MS, signal }
  const fetchAsTyped = (error: unknown) => {
    if (!isTyped || !(error instanceof BlockedTarget)) throw error
    return source.fetchTyped(url, { ...options, maxRedirects: 0 })
  }
  try {
    const answer = await source.fetchPublic(url, options).catch(fetchAsTyped)
    if (answer.status === 404 || answer.status === 410) return null
    if (answer.status !== 200) throw new CannotCheck(`${name} at ${url}: unexpected status ${answer.status}`)
    return { bytes: answer.body, url: answer.url }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AnswerTooLarge) throw tooLarge(name, maxBytes, error)
    if (error instanceof CannotCheck || !(error instanceof Error)) throw error
    const hint = error instanceof BlockedTarget && !isTyped ? '; a private address must be typed' : ''
    throw new CannotCheck(`cannot read ${name} at ${url}: ${error.message}${hint}`, { cause: error })
  }
}

async function readFile(path: string, { source, name, maxBytes }: DocumentRequest): Promise<Document> {
  if (!source.readFile) throw new CannotCheck(`${name}: the location must be an http or https URL`)
  const bytes = await source.readFile(path, maxBytes).catch((error: Error) => {
    throw new CannotCheck(`cannot read ${name}: ${error.message}`, { cause: error })
  })
  if (bytes.length > maxBytes) throw tooLarge(name, maxBytes)
  return { bytes, url: null }
}

function tooLarge(name: string, maxBytes: number, cause?: Error): UnusableDocument {
  return new UnusableDocument(`${name} is too large (limit ${maxBytes} bytes)`, { cause })
}

/** Parses UTF-8 JSON. @throws UnusableDocument when it is neither. */
export function parseJsonDocument({ bytes }: Document, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch (error) {
    throw new UnusableDocument(`${name} is not JSON`, { cause: error })
  }
}
