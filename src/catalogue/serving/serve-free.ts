import { runFor } from '../../flow/owner.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { AskedRequest } from '../../http/request/message-request.ts'
import { type RateLimiter, tooMany } from '../../http/request/rate-limit.ts'
import type { Exchange } from '../exchange.ts'
import { readAvailability } from '../routes/read-availability.ts'
import { toReply } from './answer-reply.ts'
import { startCallDeadline } from './call-deadline.ts'
import { readWeighed } from './read-weighed.ts'

/**
 * Serves a free endpoint: within the caller's rate limit, until the caller disconnects.
 * @throws ProblemError for every error.
 */
export async function serveFree(exchange: Exchange, limiter: RateLimiter): Promise<Reply> {
  const { endpoint, service, request } = exchange
  const budget = limiter.open(exchange.clientAddress)
  if (budget.waitSeconds > 0) throw new ProblemError(tooMany(budget.waitSeconds))
  const availability = readAvailability(service, endpoint)
  if (!availability.isAvailable) throw new ProblemError(availability.problem)
  const read = await readWeighed(exchange, budget).finally(budget.end)
  if ('problem' in read) throw new ProblemError(read.problem)
  const caller = { payer: null, callId: exchange.requestId }
  const deadline = startCallDeadline(endpoint.limits.timeoutMs, request.signal)
  let isLive = false
  try {
    const answer = await runFor(exchange.clientAddress, () => exchange.run(read, caller, deadline.signal))
    isLive = answer.kind === 'stream'
    const reply = toReply(answer, deadline)
    return isKnown(request, reply) ? notModified(reply) : reply
  } finally {
    if (!isLive) deadline.clear()
  }
}

/** Whether the client already has this answer (RFC 9110 section 13.1.2). */
function isKnown(request: AskedRequest, { headers: { etag: tag } }: Reply): boolean {
  const known = tag === undefined ? null : request.headers.get('if-none-match')
  if (tag === undefined || known === null) return false
  const opaque = (text: string) => text.trim().replace(/^W\//, '')
  return known.trim() === '*' || known.split(',').some((one) => opaque(one) === opaque(tag))
}

function notModified({ headers: { 'content-type': _, ...headers } }: Reply): Reply {
  return { status: 304, headers, body: null }
}
