/**
 * A response before it is sent. Its headers stay a plain object with lower-case names: `Headers` cost as much
 * as a short handler, and every layer adds more of them.
 */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
  /** Whether the answer was just sent to another caller; default false. */
  readonly isRepeated?: boolean
}

/** The reply as the HTTP adapter expects it. */
export function toResponse({ status, headers, body }: Reply): Response {
  // The bytes are only read, whatever their buffer.
  return new Response(body as Exclude<Reply['body'], Uint8Array> | Uint8Array<ArrayBuffer>, {
    status,
    headers,
  })
}

export function fromResponse({ status, headers, body }: Response): Reply {
  return { status, headers: Object.fromEntries(headers), body }
}
