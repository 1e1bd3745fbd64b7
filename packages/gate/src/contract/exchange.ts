import type { Address } from '@tollbook/chain/hex'
import type { Problem } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import type { RequestHead } from '@tollbook/http/request/message-request'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import type { Answer } from './answer.ts'
import type { Effects } from './effects.ts'
import type { OfferedRoute } from './offered-route.ts'
import type { PaymentRequirements } from './terms.ts'

/** A request whose arguments passed the validation of its route. */
export type ReadRequest = {
  readonly input: unknown
  readonly files: ReadonlyMap<string, UploadedFile>
}

export type Caller = {
  /** Null on free endpoints. */
  readonly payer: Address | null
  /** The same for every run of one payment: a handler may run again if its answer did not settle. */
  readonly callId: string
  /** Stages the handler's changes; absent if there is no payment, and changes are written at once. */
  readonly effects?: Effects
}

/** The page on which a person pays, for browsers. */
export type Paywall = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

/** One HTTP exchange on one route, as its server passes it to the gate. */
export type Exchange = OfferedRoute & {
  readonly request: RequestHead
  /** Used in the log, the header `X-Request-Id` (set by the router) and problem documents. */
  readonly requestId: string
  /** The caller's address, after trusted proxies. */
  readonly clientAddress: string
  /** Max size of the body. */
  readonly maxBodyBytes: number
  /** How much of the body `peekProblem` reads at most. */
  readonly maxPeekBytes: number
  /** Reads and validates all arguments, including at most `maxBodyBytes` of the body. Never throws. */
  readRequest(): Promise<ReadRequest | { readonly problem: Problem }>
  bytesRead(): number
  /** Why the route cannot be sold to anyone now, or null; called before every challenge, and answers from memory. */
  whyUnavailable(): Problem | null
  /** Whether the body may still select another route, with its own terms. */
  readonly isUndecided: boolean
  /** The other routes that it may still select. */
  selectable(): Iterable<OfferedRoute>
  /** Whether the request has no arguments: its `peekProblem` is the same object for all such requests. */
  readonly isBare: boolean
  /**
   * Checks what is available without waiting: path, query, and a body of at most `maxPeekBytes` that arrives soon.
   * Returns the problem that a payment with these arguments would get, or null.
   */
  peekProblem(): Promise<Problem | null>
  /** Renders the page for a request without payment; if absent, browsers get the 402 of all clients. */
  renderPaywall?(terms: readonly PaymentRequirements[], problem: Problem | null): Promise<Paywall>
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
