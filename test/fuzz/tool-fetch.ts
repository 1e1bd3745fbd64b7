import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { Input } from './draw-inputs.ts'

type Json = Readonly<Record<string, unknown>>
type Result = {
  readonly isError?: boolean
  readonly structuredContent: Json
  readonly _meta?: { readonly 'x402/payment-response'?: unknown }
}

/** Sends a request as a tool call with this input; the result is the response that its endpoint would give. */
export function toolFetch({ id }: Endpoint, input: Input): typeof fetch {
  return async (url, init = {}) => {
    const payment = new Headers(init.headers).get('payment-signature')
    const params = {
      name: 'call_tool',
      arguments: { name: id.replaceAll(/\W/g, '_'), arguments: await toJson(input) },
      ...(payment !== null && { _meta: { 'x402/payment': decode(payment) } }),
    }
    const accept = 'application/json, text/event-stream'
    const response = await fetch(new URL('/mcp', String(url)), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      ...(init.signal && { signal: init.signal }),
    })
    const text = await response.text()
    if (!response.ok) return new Response(text, { status: response.status })
    const { result } = JSON.parse(text) as { result?: Result }
    // The endpoint exists, so an error of the protocol is ours.
    return result ? toResponse(result) : new Response(text, { status: 500 })
  }
}

function toResponse({ isError, structuredContent: body, _meta }: Result): Response {
  const settlement = _meta?.['x402/payment-response']
  const headers = { ...(settlement !== undefined && { 'payment-response': encode(settlement) }) }
  if (body.end === 'failed') throw new Error('the answer failed before its end')
  if (!isError) return new Response(JSON.stringify(body), { headers })
  if (Array.isArray(body.accepts)) {
    const refusedAs = /refused \((\w+)\)/.exec(String(body.error))?.[1]
    const problem = { code: body.error, ...(refusedAs && { refused_as: refusedAs }) }
    const challenged = { ...headers, 'payment-required': encode(body) }
    return new Response(JSON.stringify(problem), { status: 402, headers: challenged })
  }
  const { status } = (body.problem ?? body) as { status?: number }
  return new Response(JSON.stringify(body), { status: status ?? 500, headers })
}

/** Files as data: URLs. */
async function toJson(input: Input): Promise<Json> {
  const values = Object.entries(input).map(async ([name, value]) => [
    name,
    value instanceof Blob ? await toDataUrl(value) : value,
  ])
  return Object.fromEntries(await Promise.all(values))
}

async function toDataUrl(file: Blob): Promise<string> {
  return `data:${file.type};base64,${Buffer.from(await file.bytes()).toString('base64')}`
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function decode(text: string): unknown {
  return JSON.parse(Buffer.from(text, 'base64').toString())
}
