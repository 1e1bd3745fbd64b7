import type { Deadline } from '../../flow/deadline.ts'
import { runFor } from '../../flow/owner.ts'
import { ProblemError } from '../../http/problem.ts'
import { serveDocument } from '../../http/reply/document.ts'
import type { DocumentCache } from '../../http/reply/document-cache.ts'
import type { Reply } from '../../http/reply/reply.ts'
import { startCallDeadline } from '../../http/request/call-deadline.ts'
import { type RateLimiter, tooMany } from '../../http/request/rate-limit.ts'
import { toReply } from '../../payments/contract/answer-reply.ts'
import type { Exchange } from '../../payments/contract/exchange.ts'
import { readWeighed } from '../../payments/gate/read-weighed.ts'
import type { FreeAnswer } from '../answer.ts'

export type FreeServing = {
  readonly limiter: RateLimiter
  readonly documents?: DocumentCache | undefined
}

/** Serves a free endpoint, rate-limited, until the caller disconnects. @throws ProblemError */
export async function serveFree(exchange: Exchange, { limiter, documents }: FreeServing): Promise<Reply> {
  const { endpoint, request, clientAddress, requestId } = exchange
  const budget = limiter.open(clientAddress)
  if (budget.waitSeconds > 0) throw new ProblemError(tooMany(budget.waitSeconds))
  const unavailable = exchange.whyUnavailable()
  if (unavailable) throw new ProblemError(unavailable)
  let deadline = undefined as Deadline | undefined
  // The handler of a free endpoint may return a document, which the type of all endpoints omits.
  const run = async (): Promise<FreeAnswer> => {
    const read = await readWeighed(exchange, budget).finally(budget.end)
    if ('problem' in read) throw new ProblemError(read.problem)
    const started = startCallDeadline(endpoint.limits.timeoutMs, request.signal)
    deadline = started
    return runFor(clientAddress, () => exchange.run(read, { payer: null, callId: requestId }, started.signal))
  }
  let isLive = false
  try {
    const answer = documents ? await documents.get(request, run) : await run()
    if (answer.kind === 'document') {
      const reply = await serveDocument(request, answer)
      return { ...reply, isRepeated: deadline === undefined }
    }
    isLive = answer.kind === 'stream'
    return toReply(answer, deadline)
  } finally {
    if (!isLive) deadline?.clear()
  }
}
