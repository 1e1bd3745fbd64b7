import { toResponse } from './answer-response.ts'
import type { Exchange } from './exchange.ts'
import { type Problem, ProblemError } from './problem.ts'
import type { RateLimiter } from './rate-limit.ts'
import { readAvailability } from './read-availability.ts'

/**
 * Serves an endpoint that costs nothing: within the caller's rate, and no longer than the caller stays.
 * @throws ProblemError for every refusal.
 */
export async function serveFree(exchange: Exchange, limiter: RateLimiter): Promise<Response> {
  const { endpoint, service, request } = exchange
  const waitSeconds = limiter.take(exchange.clientAddress)
  if (waitSeconds > 0) throw new ProblemError(tooMany(waitSeconds))
  const availability = readAvailability(service, endpoint)
  if (!availability.isAvailable) throw new ProblemError(availability.problem)
  const read = await exchange.readRequest()
  if ('problem' in read) throw new ProblemError(read.problem)
  const response = toResponse(
    await exchange.run(read, { payer: null, callId: exchange.requestId }, request.signal),
  )
  return isKnown(request, response) ? notModified(response) : response
}

/** Whether the client says that it holds this very answer (RFC 9110 section 13.1.2). */
function isKnown(request: Request, response: Response): boolean {
  const [tag, known] = [response.headers.get('etag'), request.headers.get('if-none-match')]
  if (tag === null || known === null) return false
  const opaque = (text: string) => text.trim().replace(/^W\//, '')
  return known.trim() === '*' || known.split(',').some((one) => opaque(one) === opaque(tag))
}

function notModified({ headers }: Response): Response {
  const kept = new Headers(headers)
  kept.delete('content-type')
  return new Response(null, { status: 304, headers: kept })
}

/** The refusal of whoever asks too often without paying. */
export function tooMany(retryAfterSeconds: number): Problem {
  return {
    code: 'rate_limited',
    detail: `Too many unpaid requests from this address; ask again in ${retryAfterSeconds} seconds.`,
    retryAfterSeconds,
  }
}
