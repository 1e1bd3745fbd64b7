import type { Problem } from '@tollbook/http/problem'
import { type RateLimiter, type RequestBudget, tooMany } from '@tollbook/http/request/rate-limit'
import type { Exchange, ReadRequest } from '../contract/exchange.ts'

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
  const expected = Math.min(expectedBytes(exchange), exchange.maxPeekBytes)
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
function expectedBytes(exchange: Exchange): number {
  const { headers } = exchange.request
  const max = exchange.maxBodyBytes
  if (headers.has('transfer-encoding')) return max
  return Math.min(Number(headers.get('content-length') ?? 0) || 0, max)
}

function isTooLong({ request, maxBodyBytes }: Exchange): boolean {
  return Number(request.headers.get('content-length') ?? 0) > maxBodyBytes
}
