import type { Reply } from '@tollbook/http/reply/reply'
import type { HandlerAnswer } from '../routes/handler-answer.ts'
import type { RequestContent } from '../routes/route-exchange.ts'

/** Headers of answers that a page of another origin may read, if the server allows it to call. */
export const EXPOSED =
  'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, WWW-Authenticate, Payment-Receipt, Tollbook-Receipt, Retry-After'

/** What a handler answered as a `Response`, without the headers of the middleware around it. */
export function fromWeb({ status, headers, body }: Response, around?: Headers): HandlerAnswer {
  const own = [...headers].filter(([name, value]) => name !== 'set-cookie' && around?.get(name) !== value)
  const cookies = headers.getSetCookie()
  return {
    status,
    headers: { ...Object.fromEntries(own), ...(cookies.length > 0 && { 'set-cookie': cookies.join('\n') }) },
    body,
  }
}

/** A reply of the gate as a `Response`. */
export function toWeb({ status, headers, body }: Reply): Response {
  const { 'set-cookie': cookies, ...others } = headers
  const all = new Headers(others)
  for (const cookie of cookies?.split('\n') ?? []) all.append('set-cookie', cookie)
  all.append('access-control-expose-headers', EXPOSED)
  const isEmpty = status === 204 || status === 205 || status === 304
  // The bytes are only read, whatever their buffer.
  return new Response(isEmpty ? null : (body as Uint8Array<ArrayBuffer> | null), { status, headers: all })
}

/** The body of a request, which stays readable; null if it is longer. */
export async function readWebContent(request: Request, maxBytes: number): Promise<RequestContent | null> {
  if (!request.body) return { bytes: new Uint8Array() }
  const reader = (request.clone().body as ReadableStream<Uint8Array>).getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.byteLength
    if (bytes > maxBytes) {
      reader.cancel().catch(() => {})
      return null
    }
    chunks.push(next.value)
  }
  return { bytes: Buffer.concat(chunks) }
}
