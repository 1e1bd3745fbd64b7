import type { Answer } from './answer.ts'
import type { Effects } from './effect/effects.ts'
import type { Address, Endpoint, UploadedFile } from './endpoint.ts'
import type { Problem } from './problem.ts'
import type { Service } from './service.ts'
import type { Reply } from './serving/reply.ts'

/** A request whose arguments passed the endpoint's schema and its `check`. */
export type ReadRequest = {
  readonly input: unknown
  readonly files: ReadonlyMap<string, UploadedFile>
}

/** For whom a handler runs. */
export type Caller = {
  /** Null on free endpoints. */
  readonly payer: Address | null
  /** As in `Call.callId`. */
  readonly callId: string
  /** Takes what the handler changes; absent where nothing is paid, and changes are made at once. */
  readonly effects?: Effects
}

/** What of a request an exchange looks at: a `Request` has it, and so has the message of a socket. */
export type AskedRequest = Pick<Request, 'method' | 'url' | 'signal'> & {
  readonly headers: Pick<Headers, 'get' | 'has'>
}

/** One HTTP exchange on one endpoint, as the router hands it to the gate. */
export type Exchange = {
  readonly service: Service
  readonly endpoint: Endpoint
  readonly request: AskedRequest
  /** Goes into the log, the header `X-Request-Id` (set by the router) and problem documents. */
  readonly requestId: string
  /** The caller's address, after trusted proxies. */
  readonly clientAddress: string
  /** The URL under which the endpoint is listed (`resourceUrlOf`). */
  readonly resourceUrl: string
  /** Reads and checks all arguments, the body too, at most `limits.bodyBytes` of it. Never throws. */
  readRequest(): Promise<ReadRequest | { readonly problem: Problem }>
  /** Bytes of the body that were read so far. */
  bytesRead(): number
  /**
   * Checks what can be known without waiting: path, query, and a body of at most 16 KiB that arrives
   * within 250 ms. Gives the problem that a payment with these arguments would meet, or null.
   */
  peekProblem(): Promise<Problem | null>
  /**
   * Runs the handler, which is aborted after `limits.timeoutMs` or by the signal, whichever is first.
   * @throws ProblemError where the handler refuses, `upstream_timeout` when it takes too long.
   */
  run(read: ReadRequest, caller: Caller, signal: AbortSignal): Promise<Answer>
  /** Adds a trailer field after the body (RFC 9110 section 6.5); absent where the connection carries none. */
  addTrailer?(name: string, value: string): void
}

/** Stands between the router and paid endpoints: from the challenge to the settled answer. */
export interface Gate {
  serve(exchange: Exchange): Promise<Reply>
}
