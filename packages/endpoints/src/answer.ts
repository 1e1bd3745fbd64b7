import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Answer, StreamPiece } from '@tollbook/gate/contract/answer'
import type { Document } from '@tollbook/http/reply/document'

/** What the handler of a free endpoint returns. */
export type FreeAnswer<Output = unknown> = Answer<Output> | Document

type AnswerOptions = {
  readonly status?: 200 | 201
  readonly headers?: Readonly<Record<string, string>>
  readonly charge?: AtomicUsdc
}

export function json<Output>(body: Output, options: AnswerOptions = {}): Answer<Output> {
  const { status = 200, headers = {}, charge } = options
  return { kind: 'json', body, status, headers, ...(charge !== undefined && { charge }) }
}

/** An answer in another format, complete. */
export function bytes(
  body: Uint8Array,
  contentType: string,
  options: Omit<AnswerOptions, 'status'> = {},
): Answer<never> {
  const { headers = {}, charge } = options
  return { kind: 'bytes', body, contentType, headers, ...(charge !== undefined && { charge }) }
}

export function eventStream(pieces: AsyncIterable<StreamPiece>): Answer<never> {
  const encoder = new TextEncoder()
  return {
    kind: 'stream',
    pieces,
    contentType: 'text/event-stream; charset=utf-8',
    toComment: (text) => encoder.encode(`: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`),
  }
}

/** Streams JSON texts, one per line (NDJSON). The price must be fixed: the receipt is a header. */
export function lineStream(pieces: AsyncIterable<StreamPiece>): Answer<never> {
  return {
    kind: 'stream',
    pieces,
    contentType: 'application/x-ndjson; charset=utf-8',
    // NDJSON has no comments; readers skip an empty line.
    toComment: () => new TextEncoder().encode('\n'),
  }
}
