import { PermanentError, RetryableError, Unreachable } from '../../../fetching/failure.ts'

/** The node answered that it will not do this: unknown method, too large a range, missing block. */
export class RpcRefusal extends PermanentError {
  override readonly name = 'RpcRefusal'
  readonly code: number
  constructor(method: string, error: RpcError) {
    super(`${method}: ${toSafeText(error.message)}`)
    this.code = error.code
  }
}

/** The node wants to be asked less often. */
export class RateLimited extends RetryableError {
  override readonly name = 'RateLimited'
  /** What the node asked for in `Retry-After`, null when it named nothing. */
  readonly retryAfterMs: number | null
  constructor(retryAfterMs: number | null) {
    super('the chain RPC answers too many requests (429)')
    this.retryAfterMs = retryAfterMs
  }
}

/** The node does not know blocks yet that another answer has shown. */
export class NodeBehind extends RetryableError {
  override readonly name = 'NodeBehind'
}

/** No answer in time, or a gateway's failure: less may be answered where much is not. */
export class Overloaded extends Unreachable {}

/** A batch is refused as a whole, or is too large for one answer; its halves may pass. */
export class BatchRefused extends PermanentError {
  override readonly name = 'BatchRefused'
  readonly error: RpcError
  constructor(error: RpcError) {
    super('the chain RPC refuses the batch')
    this.error = error
  }
}

/** What stands in `error` of a JSON-RPC answer. */
export type RpcError = { readonly code: number; readonly message: string }

/**
 * Seen of Base's own endpoint (-32016 "over rate limit"), Infura (-32005 "daily request count exceeded, request
 * rate limited"), Alchemy (429 "exceeded its compute units per second capacity") and others (-32029, 429
 * "Too Many Requests"). -32005 alone is no sign: it also refuses ranges.
 */
const RATE_LIMIT = /rate.?limit|too many requests|compute units|request count exceeded|requests per second/i
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32016, -32029])

/** Seen of geth, Erigon, Nethermind, reth and op-node's proxy when a range or block lies above their head. */
const BEHIND =
  /beyond current head|cannot be found|header not found|block not found|unknown block|BlockOutOfRange|block range extends/i

/** geth (-32003 "response too large"), proxyd (-32020 "backend response too large") and providers. */
const TOO_LARGE = /too large|too big|size exceeded|batch/i

/** Tells what a refusal of one request in a batch of `batchSize` means. */
export function toFailure(method: string, error: RpcError, batchSize: number): Error {
  if (RATE_LIMIT_CODES.has(error.code) || RATE_LIMIT.test(error.message)) return new RateLimited(null)
  if (batchSize > 1 && TOO_LARGE.test(error.message)) return new BatchRefused(error)
  if (BEHIND.test(error.message)) return new NodeBehind(`${method}: ${toSafeText(error.message)}`)
  return new RpcRefusal(method, error)
}

/** A node's own words may repeat the URL that it was asked by. */
function toSafeText(message: string): string {
  return message.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(URL)').slice(0, 300)
}
