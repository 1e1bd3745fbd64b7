import { runFor } from '@tollbook/flow/owner'
import type { ReadRequest } from '@tollbook/gate/contract/exchange'
import { type Problem, ProblemError } from '@tollbook/http/problem'
import type { RequestHead } from '@tollbook/http/request/message-request'
import type { RequestBody } from '@tollbook/http/request/request-body'
import type { Endpoint, JsonReading } from '../endpoint.ts'
import { readFormBody } from './form-body.ts'
import { GivenArguments, MAX_ARGUMENTS } from './given-arguments.ts'
import type { InputFields } from './input-fields.ts'
import { readJsonBody } from './json-body.ts'
import { readQueryPairs, selectPairs } from './query-pairs.ts'
import { readArguments } from './read-arguments.ts'

/** Read before a payment, if it arrives this quickly: the answer to a probe must not wait. */
const PEEK = { bytes: 16_384, waitMs: 250 }
/** Chosen: the same where the body selects the terms; a text of half a million words fits. */
const SELECTION_PEEK = { bytes: 4 * 1024 * 1024, waitMs: 10_000 }

/** Chosen: far above a long chat with its tools, and read, checked and hashed in a tenth of a second. */
export const MAX_VALUES = 50_000

export type ArgumentSource = {
  readonly endpoint: Endpoint
  readonly ports: unknown
  readonly fields: InputFields
  /** The query without its question mark; empty when there is none. */
  readonly query: string
  readonly pathParameters: Readonly<Record<string, string>>
  readonly headers: RequestHead['headers']
  readonly clientAddress: string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Null when the request declares that it has none. */
  readonly body: RequestBody | null
  /** Called with the arguments before their validation, which may replace the endpoint. */
  readonly select?: (given: Readonly<Record<string, unknown>>) => void
}

const CUT_OFF: Problem = {
  code: 'invalid_request',
  detail: 'The connection ended before the body was complete.',
}

type Reading = ReadRequest | { readonly problem: Problem }

/** Reads and validates all arguments of a request. Never throws on client input. */
export async function readRequest(parts: ArgumentSource): Promise<Reading> {
  const refusal = refuseBody(parts)
  if (refusal) return { problem: refusal }
  const provided = gatherFromHead(parts)
  if (parts.body) {
    let bytes: Uint8Array | null
    try {
      bytes = await parts.body.read(maxBytesOf(parts))
    } catch {
      return { problem: CUT_OFF }
    }
    if (!bytes) return { problem: tooLarge(parts) }
    const problem = await addBody(parts, provided, bytes)
    if (problem) return { problem }
    parts.select?.(provided.values)
  }
  return readArguments(parts, provided)
}

/** What `peekProblem` reads of a body. */
export function peekBounds({ selection }: Endpoint): { readonly bytes: number; readonly waitMs: number } {
  return selection ? SELECTION_PEEK : PEEK
}

/** The problem that `readRequest` would return, as far as it can be determined at once; null otherwise. */
export async function peekProblem(parts: ArgumentSource): Promise<Problem | null> {
  const refusal = refuseBody(parts)
  if (refusal) return refusal
  const provided = gatherFromHead(parts)
  let isPartial = false
  if (parts.body) {
    const bounds = peekBounds(parts.endpoint)
    const isSmall = Number(parts.headers.get('content-length') ?? 0) <= bounds.bytes
    const bytes = isSmall ? await parts.body.peek(bounds.bytes, bounds.waitMs) : null
    const problem = bytes && (await addBody(parts, provided, bytes))
    if (problem) return problem
    if (bytes) parts.select?.(provided.values)
    isPartial = bytes === null
  }
  const reading = readArguments(parts, provided, isPartial)
  return 'problem' in reading ? reading.problem : null
}

function gatherFromHead(parts: ArgumentSource): GivenArguments {
  const provided = new GivenArguments(parts.fields)
  provided.addPath(parts.pathParameters)
  if (parts.query !== '') {
    const pairs = readQueryPairs(parts.query)
    const isWanted = (name: string) => parts.fields.byName.has(name) && !(name in parts.pathParameters)
    provided.addTexts(parts.endpoint.isQueryLenient ? selectPairs(pairs, isWanted) : pairs)
  }
  if (parts.endpoint.headerFields) provided.addTexts(givenInHeaders(parts.endpoint, parts.headers))
  return provided
}

/** The input fields that are sent as request headers, each with its text. */
export function givenInHeaders(
  { headerFields = {} }: Endpoint,
  headers: RequestHead['headers'],
): readonly (readonly [field: string, text: string])[] {
  return Object.entries(headerFields).flatMap(([name, field]) => {
    const text = headers.get(name)
    return text === null ? [] : [[field, text] as const]
  })
}

function refuseBody(parts: ArgumentSource): Problem | null {
  const { endpoint, headers, body } = parts
  // A form has a body, even if it is empty.
  if (!body && !endpoint.fromForm) return null
  if (Number(headers.get('content-length') ?? 0) > maxBytesOf(parts)) return tooLarge(parts)
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    return { code: 'unsupported_media_type', detail: 'Send the body without a content encoding.' }
  }
  const { accepts = 'json' } = endpoint
  if (accepts !== 'json' && isForm(headers)) return null
  if (accepts !== 'multipart' && isJson(headers)) return null
  if (endpoint.fromForm && isUrlEncoded(headers)) return null
  const wanted = {
    json: 'application/json',
    multipart: 'multipart/form-data',
    either: 'application/json or multipart/form-data',
  }[accepts]
  return { code: 'unsupported_media_type', detail: `Send the body as ${wanted}.` }
}

export function maxBytesOf({ endpoint, headers }: Pick<ArgumentSource, 'endpoint' | 'headers'>): number {
  const { bodyBytes, formBytes = bodyBytes } = endpoint.limits
  return isForm(headers) ? formBytes : bodyBytes
}

function tooLarge(parts: ArgumentSource): Problem {
  const limit = maxBytesOf(parts)
  return {
    code: 'too_large',
    detail: `The body may have at most ${limit} bytes.`,
    members: { limit_bytes: limit },
  }
}

function isJson(headers: RequestHead['headers']): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
}

function isForm(headers: RequestHead['headers']): boolean {
  return /^multipart\/form-data\s*;/i.test(headers.get('content-type') ?? '')
}

async function addBody(
  parts: ArgumentSource,
  provided: GivenArguments,
  bytes: Uint8Array,
): Promise<Problem | null> {
  if (bytes.byteLength === 0) return null
  if (isForm(parts.headers)) return addForm(parts, provided, bytes)
  const { limits, fromForm, parseBody, hasExactNumbers: isExact = false } = parts.endpoint
  if (fromForm && isUrlEncoded(parts.headers)) {
    const form = readFormFields(bytes, limits.bodyValues ?? MAX_VALUES)
    if ('issue' in form) return toBodyProblem(form.issue)
    provided.addJson(fromForm(form.fields), false)
    return null
  }
  const json = await (parseBody
    ? parseFor(parts, parseBody, bytes)
    : readJsonBody(bytes, { values: limits.bodyValues ?? MAX_VALUES, isExact }))
  if ('code' in json) return json
  if ('issue' in json) return toBodyProblem(json.issue)
  provided.addJson(json.value, parts.endpoint.method === 'GET')
  return null
}

/** Runs on behalf of the client's address, because the payer is not known yet. */
async function parseFor(
  { ports, signal, clientAddress }: ArgumentSource,
  parseBody: NonNullable<Endpoint['parseBody']>,
  bytes: Uint8Array,
): Promise<JsonReading | Problem> {
  try {
    return await runFor(clientAddress, () => parseBody(bytes, ports, signal))
  } catch (error) {
    if (signal.aborted) return CUT_OFF
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}

function toBodyProblem(detail: string, parameter = 'body'): Problem {
  const issues = [{ parameter, detail }]
  const subject = parameter === 'body' ? 'The body' : parameter
  return { code: 'invalid_request', detail: `${subject} ${detail}.`, issues }
}

async function addForm(
  { endpoint, headers, fields }: ArgumentSource,
  provided: GivenArguments,
  bytes: Uint8Array,
): Promise<Problem | null> {
  const form = await readFormBody(bytes, headers.get('content-type') ?? '', MAX_ARGUMENTS)
  if ('issue' in form) return { code: 'invalid_request', detail: `The body ${form.issue}.` }
  for (const { field, value, ...file } of form.files) provided.addFile(field, file, value)
  const texts: (readonly [string, string])[] = []
  for (const [name, text] of form.texts) {
    const types = fields.byName.get(name)?.types
    if (!types?.has('object') || types.has('string')) texts.push([name, text])
    else {
      const values = endpoint.limits.bodyValues ?? MAX_VALUES
      const json = await readJsonBody(new TextEncoder().encode(text), { values })
      if ('issue' in json) return toBodyProblem(json.issue, name)
      provided.addJson({ [name]: json.value }, false)
    }
  }
  provided.addTexts(texts)
  return null
}

function isUrlEncoded(headers: RequestHead['headers']): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
}

/** The text fields of a form, trimmed and without empty ones. */
function readFormFields(
  bytes: Uint8Array,
  maxFields: number,
): { readonly fields: Readonly<Record<string, string>> } | { readonly issue: string } {
  // URLSearchParams never fails: invalid UTF-8 becomes U+FFFD, which is rejected where it matters.
  const pairs = new URLSearchParams(new TextDecoder().decode(bytes))
  if (pairs.size > maxFields) return { issue: `has too many fields (limit ${maxFields})` }
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) {
    if (name in fields) return { issue: 'has a field more than once' }
    if (value.trim() !== '') fields[name] = value.trim()
  }
  return { fields }
}
