import type { Deadline } from '@tollbook/flow/deadline'
import { runFor } from '@tollbook/flow/owner'
import { toReply } from '@tollbook/gate/contract/answer-reply'
import type { Exchange } from '@tollbook/gate/contract/exchange'
import { readWeighed } from '@tollbook/gate/gate/read-weighed'
import { ProblemError } from '@tollbook/http/problem'
import { serveDocument } from '@tollbook/http/reply/document'
import type { DocumentCache } from '@tollbook/http/reply/document-cache'
import type { Reply } from '@tollbook/http/reply/reply'
import { startCallDeadline } from '@tollbook/http/request/call-deadline'
import { type RateLimiter, tooMany } from '@tollbook/http/request/rate-limit'
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
