import type { Problem } from '../../http/problem.ts'
import { type RateLimiter, type RequestBudget, tooMany } from '../../http/request/rate-limit.ts'
import { maxBytesOf, peekBounds } from '../arguments/read-request.ts'
import type { Exchange, ReadRequest } from '../exchange.ts'

/** Reads a request and adds the size of its body to the request's rate-limit cost. */
export async function readWeighed(
  exchange: Exchange,
  budget: RequestBudget,
): Promise<ReadRequest | { readonly problem: Problem }> {
  const expected = expectedBytes(exchange)
  // A body that is refused by its declared length is not read.
  const problem = isTooLong(exchange) ? null : budget.addBody(expected)
  if (problem) return { problem }
  const read = await exchange.readRequest()
  if (!isTooLong(exchange)) budget.addBody(exchange.bytesRead() - expected)
  return read
}

/** Has the body of an unpaid request select its terms, within the rate limit; else its problem. */
export async function peekWeighed(
  exchange: Exchange,
  limiter: Pick<RateLimiter, 'openQuestion'>,
): Promise<Problem | null> {
  const expected = Math.min(expectedBytes(exchange), peekBounds(exchange.endpoint).bytes)
  const budget = limiter.openQuestion(exchange.clientAddress, expected)
  if (budget.waitSeconds > 0) return tooMany(budget.waitSeconds)
  try {
    const problem = budget.addBody(expected)
    if (problem) return problem
    await exchange.peekProblem()
    budget.addBody(exchange.bytesRead() - expected)
    return null
  } finally {
    budget.end()
  }
}

/** The max size of the body before it is read: a chunked body declares no length. */
function expectedBytes({ request: { headers }, endpoint }: Exchange): number {
  const max = maxBytesOf({ endpoint, headers })
  if (headers.has('transfer-encoding')) return max
  return Math.min(Number(headers.get('content-length') ?? 0) || 0, max)
}

function isTooLong({ request: { headers }, endpoint }: Exchange): boolean {
  return Number(headers.get('content-length') ?? 0) > maxBytesOf({ endpoint, headers })
}
