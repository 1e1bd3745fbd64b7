import { isRecord } from '@tollbook/flow/is-record'
import { parseExactJson } from '@tollbook/flow/json/exact-json'
import { readBounded } from '@tollbook/http/reply/bounded-body'

/** A CallToolResult (MCP specification, server/tools). */
export type ToolResult = {
  readonly content: Content[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly _meta?: Record<string, unknown>
}

type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }

/** Of any answer: what a stream stores for a retry. At its endpoint the payment buys more. */
export const MAX_ANSWER_BYTES = 4_194_304
const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|x-ndjson|yaml)|image\/svg)/

/** A tool call's result (specs/transports-v2/mcp.md); `trailers` are filled once the body is read. */
export async function toResult(
  response: Response,
  url: string,
  trailers: Readonly<Record<string, string>>,
): Promise<ToolResult> {
  const { bytes, end } = await readBounded(response.body, MAX_ANSWER_BYTES)
  const meta = toMeta(response.headers.get('payment-response') ?? trailers['payment-response'])
  if (!response.ok) return { ...toError(response, bytes), isError: true, ...meta }
  const type = response.headers.get('content-type') ?? 'application/octet-stream'
  const content = toContent(bytes, type.split(';', 1)[0] ?? type, url)
  const json = end === 'whole' && isJson(type) ? parseObject(bytes) : null
  const structuredContent = json ?? { content_type: type, size_bytes: bytes.byteLength, end }
  if (end === 'whole') return { content: [content], structuredContent, ...meta }
  const note = { type: 'text', text: NOTES[end] } as const
  return { content: [content, note], structuredContent, ...(end === 'failed' && { isError: true }), ...meta }
}

/** The result of a call that another tool than an endpoint's answers. */
export function jsonResult(structuredContent: Record<string, unknown>, isError = false): ToolResult {
  return { content: [toText(structuredContent)], structuredContent, ...(isError && { isError }) }
}

const NOTES = {
  cut: `The answer was cut at ${MAX_ANSWER_BYTES} bytes. The same payment gets all of it at the endpoint itself, over HTTP.`,
  failed: 'The answer failed before its end. Send the same payment again: it is never charged twice.',
} as const

function toMeta(settlement: string | undefined): { _meta?: Record<string, unknown> } {
  return settlement === undefined ? {} : { _meta: { 'x402/payment-response': decode(settlement) } }
}

/** A PaymentRequired if the call has to be paid, otherwise the problem. */
function toError({ headers }: Response, bytes: Buffer): ToolResult {
  const problem = parseObject(bytes) ?? { code: 'unavailable', detail: 'The call was not answered.' }
  const required = headers.get('payment-required')
  if (required === null) return jsonResult(problem)
  const decoded = decode(required)
  const result = jsonResult({ error: sayUnpaid(problem), ...decoded })
  // Of a refused payment: `error` has only its code.
  if ('error' in decoded) result.content.push({ type: 'text', text: String(problem.detail ?? '') })
  return result
}

/** Why an unpaid call would be refused even with a payment, so that nobody signs in vain. */
function sayUnpaid(body: Record<string, unknown>): string {
  const problem = (body.problem ?? body) as {
    refused_as?: string
    issues?: { parameter: string; detail: string }[]
  }
  if (problem.refused_as === undefined) return 'Payment required'
  const issues = (problem.issues ?? []).map(({ parameter, detail }) => `${parameter} ${detail}`)
  return `Payment required, and these arguments would be refused (${problem.refused_as}): ${issues.join('; ')}`
}

/** The body as text, image, audio or a binary resource. */
export function toContent(bytes: Buffer, mimeType: string, uri: string): Content {
  if (TEXT_TYPE.test(mimeType)) return { type: 'text', text: bytes.toString() }
  const data = bytes.toString('base64')
  const [kind] = mimeType.split('/')
  if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType }
  return { type: 'resource', resource: { uri, mimeType, blob: data } }
}

function toText(value: unknown): Content {
  return { type: 'text', text: JSON.stringify(value) }
}

function isJson(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json/.test(type)
}

function parseObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value = parseExactJson(bytes.toString())
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function decode(header: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(header, 'base64').toString())
}
