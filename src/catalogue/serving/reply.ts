/**
 * What answers a request, before it goes out. Its headers stay a plain object, by names in lower case: `Headers` cost
 * as much as a short handler, and each answer gets more of them on its way.
 */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
}

/** A reply in JSON of our own making. */
export function jsonReply(body: unknown, status = 200): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  }
}

/** The reply as the HTTP adapter takes it. */
export function toResponse({ status, headers, body }: Reply): Response {
  // Whatever buffer holds the bytes, they are only read.
  return new Response(body as Exclude<Reply['body'], Uint8Array> | Uint8Array<ArrayBuffer>, {
    status,
    headers,
  })
}
