import type { Problem } from '../http/problem.ts'
import type { Reply } from '../http/reply/reply.ts'
import type { RequestHead } from '../http/request/message-request.ts'
import type { Answer } from './answer.ts'
import type { Effects } from './effect/effects.ts'
import type { Address, Endpoint, UploadedFile } from './endpoint.ts'
import type { Service } from './service.ts'

/** A request whose arguments passed the endpoint's schema and its `check`. */
export type ReadRequest = {
  readonly input: unknown
  readonly files: ReadonlyMap<string, UploadedFile>
}

export type Caller = {
  /** Null on free endpoints. */
  readonly payer: Address | null
  /** As in `Call.callId`. */
  readonly callId: string
  /** Stages the handler's changes; absent if there is no payment, and changes are written at once. */
  readonly effects?: Effects
}

/** One HTTP exchange on one endpoint, as the router passes it to the gate. */
export type Exchange = {
  readonly service: Service
  readonly endpoint: Endpoint
  readonly request: RequestHead
  /** Used in the log, the header `X-Request-Id` (set by the router) and problem documents. */
  readonly requestId: string
  readonly pathParameters: Readonly<Record<string, string>>
  /** Without its question mark. */
  readonly query: string
  /** The caller's address, after trusted proxies. */
  readonly clientAddress: string
  /** The URL under which the endpoint is listed (`resourceUrlOf`). */
  readonly resourceUrl: string
  /** Reads and validates all arguments, including at most `limits.bodyBytes` of the body. Never throws. */
  readRequest(): Promise<ReadRequest | { readonly problem: Problem }>
  bytesRead(): number
  /** Whether the body may still select another endpoint, with its own terms (`Endpoint.selection`). */
  readonly isUndecided: boolean
  /** Whether the request has no arguments: its `peekProblem` is the same object for all such requests. */
  readonly isBare: boolean
  /**
   * Checks what is available without waiting: path, query, and a body of at most 16 KiB that arrives within
   * 250 ms; where the body selects the endpoint, of 4 MiB within 10 seconds. Returns the problem that a payment with
   * these arguments would get, or null.
   */
  peekProblem(): Promise<Problem | null>
  /** Runs the handler until the call's deadline. @throws whatever it throws; the signal's reason. */
  run(read: ReadRequest, caller: Caller, signal: AbortSignal): Promise<Answer>
  /** Whether the client gets nothing of an answer before its end, as with the result of a tool call. */
  readonly isCollected: boolean
  readonly hasTrailers: boolean
  /** Adds a trailer field after the body (RFC 9110 section 6.5), if the connection supports them. */
  addTrailer(name: string, value: string): void
}

/** Handles paid endpoints between the router and the handler: from the challenge to the settled answer. */
export interface Gate {
  serve(exchange: Exchange): Promise<Reply>
}
