import type { AtomicUsdc } from '../money/usdc.ts'

/** One piece of a live answer. */
export type StreamPiece = {
  readonly bytes: Uint8Array
  /** Whether the piece carries content that the caller paid for, and no mere preamble. */
  readonly isContent: boolean
  /** Micro-USDC that the answer up to and with this piece is worth, on metered endpoints; the gate adds the minimum. */
  readonly chargeSoFar?: AtomicUsdc
  /** Whether readers of the format stop at this piece: the receipt goes before it, and nothing behind. */
  readonly isEnd?: boolean
}

/** What a handler gives back. Every kind but a refusal (a thrown ProblemError) is charged. */
export type Answer<Output = unknown> =
  | {
      readonly kind: 'json'
      readonly body: Output
      readonly status: 200 | 201
      readonly headers: Readonly<Record<string, string>>
      /** The metered charge; absent on endpoints with a fixed price. */
      readonly charge?: AtomicUsdc
    }
  | {
      readonly kind: 'bytes'
      readonly body: Uint8Array
      readonly contentType: string
      readonly headers: Readonly<Record<string, string>>
      readonly charge?: AtomicUsdc
    }
  | {
      readonly kind: 'stream'
      readonly pieces: AsyncIterable<StreamPiece>
      readonly contentType: string
      /** Wraps a text for people, such as the receipt, as a comment of the stream's format. */
      readonly toComment: (text: string) => Uint8Array
    }

type AnswerOptions = {
  readonly status?: 200 | 201
  readonly headers?: Readonly<Record<string, string>>
  readonly charge?: AtomicUsdc
}

/** A JSON answer. */
export function json<Output>(body: Output, options: AnswerOptions = {}): Answer<Output> {
  const { status = 200, headers = {}, charge } = options
  return { kind: 'json', body, status, headers, ...(charge !== undefined && { charge }) }
}

/** An answer in another format, given whole. */
export function bytes(
  body: Uint8Array,
  contentType: string,
  options: Omit<AnswerOptions, 'status'> = {},
): Answer<never> {
  const { headers = {}, charge } = options
  return { kind: 'bytes', body, contentType, headers, ...(charge !== undefined && { charge }) }
}

/** A live answer of server-sent events. */
export function eventStream(pieces: AsyncIterable<StreamPiece>): Answer<never> {
  const encoder = new TextEncoder()
  return {
    kind: 'stream',
    pieces,
    contentType: 'text/event-stream; charset=utf-8',
    toComment: (text) => encoder.encode(`: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`),
  }
}

/** A live answer of JSON texts, one a line; an endpoint with a fixed price, since its receipt stands in the head. */
export function lineStream(pieces: AsyncIterable<StreamPiece>): Answer<never> {
  return {
    kind: 'stream',
    pieces,
    contentType: 'application/x-ndjson; charset=utf-8',
    // NDJSON has no comments; an empty line is left out by its readers.
    toComment: () => new TextEncoder().encode('\n'),
  }
}
