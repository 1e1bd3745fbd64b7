import { PermanentError, RetryableError, Unreachable } from '@tollbook/flow/failure'
import type { Hex } from '../hex.ts'

/** The `error` member of a JSON-RPC response. */
export type RpcError = {
  readonly code: number
  readonly message: string
  /** What a reverting contract returned; absent or `0x` if nothing. */
  readonly data?: Hex
}

/** The node answered with an error: a revert, a rejected transaction, an unknown method, too large a range. */
export class RpcRefusal extends PermanentError {
  override readonly name = 'RpcRefusal'
  readonly code: number
  readonly data: Hex
  constructor(method: string, { code, message, data = '0x' }: RpcError) {
    super(`${method}: ${toSafeText(message)}`)
    this.code = code
    this.data = data
  }
}

export class RateLimited extends RetryableError {
  override readonly name = 'RateLimited'
  /** The value of `Retry-After`, null if absent. */
  readonly retryAfterMs: number | null
  constructor(retryAfterMs: number | null) {
    super('the chain RPC is rate limiting (429)')
    this.retryAfterMs = retryAfterMs
  }
}

/** The node does not have blocks yet that another response contained. */
export class NodeBehind extends RetryableError {
  override readonly name = 'NodeBehind'
}

/** Timeout or gateway error: a smaller request may succeed. */
export class Overloaded extends Unreachable {}

/** A batch was refused as a whole, or its response would be too large; halves may succeed. */
export class BatchRefused extends PermanentError {
  override readonly name = 'BatchRefused'
  readonly error: RpcError
  constructor(error: RpcError) {
    super('the chain RPC refused the batch')
    this.error = error
  }
}

/**
 * Seen from Base's own endpoint (-32016 "over rate limit"), Infura (-32005 "daily request count exceeded,
 * request rate limited"), Alchemy (429 "exceeded its compute units per second capacity") and others (-32029,
 * 429 "Too Many Requests"). -32005 alone is ambiguous: it is also used for ranges.
 */
const RATE_LIMIT = /rate.?limit|too many requests|compute units|request count exceeded|requests per second/i
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32016, -32029])

/**
 * Seen from geth, Erigon, Nethermind, reth, anvil and op-node's proxy for a range or block above their head, or
 * for the state of a block that was replaced while it was read.
 */
const BEHIND =
  /beyond current head|cannot be found|header not found|block not found|unknown block|missing trie node|BlockOutOfRange|block range extends/i

/** geth (-32003 "response too large"), proxyd (-32020 "backend response too large") and providers. */
const TOO_LARGE = /too large|too big|size exceeded|batch/i

/** `execution error` (https://ethereum.github.io/execution-apis/). */
const EXECUTION_ERROR = 3
/** Messages of geth, op-geth, reth, Nethermind and anvil for a call that the contracts themselves rejected. */
const EXECUTION = /revert|out of ?gas|gas required|opcode|jump|stack|evm|execution/i

/** Whether contracts rejected the call; otherwise it was the node, for example because of its version. */
export function isExecutionFailure({ code, data, message }: RpcRefusal): boolean {
  return code === EXECUTION_ERROR || data !== '0x' || EXECUTION.test(message)
}

/**
 * Classifies the error of one request in a batch of `batchSize`. The text of a revert is the contract's own,
 * so it is never searched for the node's wordings.
 */
export function toFailure(method: string, error: RpcError, batchSize: number): Error {
  const { code, message, data = '0x' } = error
  if (code === EXECUTION_ERROR || data !== '0x' || /revert/i.test(message))
    return new RpcRefusal(method, error)
  if (RATE_LIMIT_CODES.has(code) || RATE_LIMIT.test(message)) return new RateLimited(null)
  if (batchSize > 1 && TOO_LARGE.test(message)) return new BatchRefused(error)
  if (BEHIND.test(message)) return new NodeBehind(`${method}: ${toSafeText(message)}`)
  return new RpcRefusal(method, error)
}

/** A node's own text may contain the URL of the request. */
function toSafeText(message: string): string {
  return message.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(URL)').slice(0, 300)
}
