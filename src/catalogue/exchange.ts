import type { Answer } from './answer.ts'
import type { Address, Endpoint, UploadedFile } from './endpoint.ts'
import type { Problem } from './problem.ts'
import type { Service } from './service.ts'

/** A request whose arguments passed the endpoint's schema and its `check`. */
export type ReadRequest = {
  readonly input: unknown
  readonly files: ReadonlyMap<string, UploadedFile>
}

/** One HTTP exchange on one endpoint, as the router hands it to the gate. */
export type Exchange = {
  readonly service: Service
  readonly endpoint: Endpoint
  readonly request: Request
  /** The caller's address, after trusted proxies. */
  readonly clientAddress: string
  /** The URL under which the endpoint is listed: base URL and path, without query. */
  readonly resourceUrl: string
  /** Reads and checks all arguments, the body too, at most `limits.bodyBytes` of it. Never throws. */
  readRequest(): Promise<ReadRequest | { readonly problem: Problem }>
  /**
   * Checks what can be known without waiting: path, query, and a JSON body of at most 16 KiB that arrives
   * within 250 ms. Gives the problem that a payment with these arguments would meet, or null.
   */
  peekProblem(): Promise<Problem | null>
  /** Runs the handler; a thrown ProblemError is its refusal. */
  run(read: ReadRequest, payer: Address | null, signal: AbortSignal): Promise<Answer>
}

/** Stands between the router and paid endpoints: from the challenge to the settled answer. */
export interface Gate {
  serve(exchange: Exchange): Promise<Response>
}
