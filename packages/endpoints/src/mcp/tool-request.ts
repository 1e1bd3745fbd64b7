import { ProblemError } from '@tollbook/http/problem'
import type { RequestHead } from '@tollbook/http/request/message-request'
import { describeInput } from '../arguments/input-fields.ts'
import { type CallParts, pathParametersOf, toCallParts, toCallUrl, toTexts } from '../call-parts.ts'
import type { Endpoint } from '../endpoint.ts'
import { takesPostRead } from '../routes/path-routes.ts'
import type { Service } from '../service.ts'

export type ToolCall = {
  readonly endpoint: Endpoint
  readonly arguments: Readonly<Record<string, unknown>>
  /** The x402 PaymentPayload in `_meta["x402/payment"]`; undefined without. */
  readonly payment: unknown
}

/** Headers of the request that carries a call, which apply to the call. */
const CALL_HEADERS = ['idempotency-key', 'sign-in-with-x']
const DATA_URL = /^data:([^;,]+)(?:;[^;,]+)*;base64,/

/** A tool call as a client's HTTP request; `carrier` carries it. @throws ProblemError `invalid_request` */
export async function toRequest(
  service: Pick<Service, 'baseUrl' | 'endpoints'>,
  { endpoint, arguments: input, payment }: ToolCall,
  carrier: RequestHead,
): Promise<Request> {
  const sharing = service.endpoints.filter((other) => other.path === endpoint.path)
  // Only JSON keeps the types of values.
  const isPosted = takesPostRead(endpoint, sharing) && endpoint.limits.bodyBytes > 0
  const method = isPosted ? 'POST' : endpoint.method
  const parts = toCallParts(endpoint, input, method)
  const { body } = parts
  const url = toCallUrl(service.baseUrl, endpoint, input, parts)
  if (typeof url === 'string') throw noPath(endpoint, url)
  const refused = pathParametersOf(endpoint).find((name) => !isAccepted(endpoint, name, input[name]))
  if (refused !== undefined) throw notAccepted(endpoint, refused)
  const headers = new Headers()
  for (const name of CALL_HEADERS) {
    const value = carrier.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  if (payment !== undefined)
    headers.set('payment-signature', Buffer.from(JSON.stringify(payment)).toString('base64'))
  const { signal } = carrier
  if (!body) return new Request(url, { method, headers, signal })
  const { type, bytes } = await encode(endpoint, body)
  headers.set('content-type', type)
  // Its budget is taken before it is read.
  headers.set('content-length', `${bytes.byteLength}`)
  return new Request(url, { method, headers, signal, body: bytes })
}

/** Whether the path accepts a value: another would be an unknown path, which is not the caller's mistake. */
function isAccepted({ pathPatterns }: Endpoint, name: string, value: unknown): boolean {
  const pattern = pathPatterns?.[name]
  return pattern === undefined || new RegExp(`^(?:${pattern})$`).test(toTexts(value)[0] ?? '')
}

function notAccepted({ input, pathPatterns }: Endpoint, parameter: string): ProblemError {
  const expected = input.shape[parameter]?.description ?? `${pathPatterns?.[parameter]}.`
  return toRefusal(parameter, `is not accepted here: ${expected}`)
}

function noPath({ path }: Endpoint, parameter: string): ProblemError {
  return toRefusal(parameter, `must be a value for the path ${path}.`)
}

/** @param sentence without its subject, the parameter */
function toRefusal(parameter: string, sentence: string): ProblemError {
  const detail = sentence.replace(/\.$/, '')
  const issues = [{ parameter, detail }]
  return new ProblemError({ code: 'invalid_request', detail: `${parameter} ${detail}.`, issues })
}

type Encoded = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

async function encode(endpoint: Endpoint, body: NonNullable<CallParts['body']>): Promise<Encoded> {
  if (body.kind === 'json')
    return { type: 'application/json', bytes: new TextEncoder().encode(JSON.stringify(body.value)) }
  const { byName } = describeInput(endpoint)
  const form = new FormData()
  for (const [name, value] of body.fields) {
    if (byName.get(name)?.isFile && typeof value === 'string') form.append(name, toFile(value), name)
    else for (const text of toTexts(value)) form.append(name, text)
  }
  const encoded = new Response(form)
  return {
    type: encoded.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await encoded.arrayBuffer()),
  }
}

function toFile(text: string): Blob {
  const [prefix = '', type = 'application/octet-stream'] = DATA_URL.exec(text) ?? []
  return new Blob([Buffer.from(text.slice(prefix.length), 'base64')], { type })
}
