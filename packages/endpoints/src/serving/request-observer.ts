import { randomUUID } from 'node:crypto'
import type { Logger } from '@tollbook/flow/logger'
import { runInTrace, type Tracer } from '@tollbook/flow/trace'
import type { RequestRecorder } from '@tollbook/http/operations/operations'
import { ProblemError } from '@tollbook/http/problem'
import { toProblem } from '@tollbook/http/reply/problem-document'
import type { Reply } from '@tollbook/http/reply/reply'
import type { ServedRequest } from '@tollbook/http/request/served-request'
import type { Endpoint } from '../endpoint.ts'
import type { Service } from '../service.ts'
import { toProblemReply } from './problem-reply.ts'
import { withStandardHeaders } from './response-headers.ts'
import { traceRequest } from './trace-request.ts'

/** A request, and what it is for. */
export type Target = {
  readonly request: ServedRequest
  /** Null if the path is not an endpoint's. */
  readonly endpoint: Endpoint | null
  /** Health checks are regular: they are neither rate-limited nor recorded. */
  readonly isHealthCheck?: boolean
}

/** Counts, logs and traces the answers of a service, adds headers, and converts errors to problems. */
export class RequestObserver {
  readonly #service: Service
  readonly #logger: Logger
  readonly #record: RequestRecorder
  readonly #tracer: Tracer | undefined

  constructor(service: Service, logger: Logger, record: RequestRecorder, tracer: Tracer | undefined) {
    this.#service = service
    this.#logger = logger
    this.#record = record
    this.#tracer = tracer
  }

  async observe(target: Target, respond: (requestId: string) => Promise<Reply>): Promise<Reply> {
    const { endpoint, isHealthCheck } = target
    const startedMs = performance.now()
    const requestId = randomUUID()
    const service = this.#service
    const trace = traceRequest(isHealthCheck ? undefined : this.#tracer, target, {
      service: service.name,
      requestId,
    })
    let reply: Reply
    try {
      reply = await runInTrace(trace, () => respond(requestId))
    } catch (error) {
      if (!(error instanceof ProblemError))
        this.#logger.error({ err: error, request_id: requestId }, 'failed')
      reply = await toProblemReply(toProblem(error), { service, ...target, requestId })
    }
    const durationMs = performance.now() - startedMs
    const { status, isRepeated = false } = reply
    if (!isHealthCheck) {
      const { traceId } = trace.context
      this.#record({ endpointId: endpoint?.id ?? null, status, durationMs, requestId, traceId, isRepeated })
    }
    trace.end(status)
    return { ...reply, headers: withStandardHeaders(reply.headers, requestId, endpoint) }
  }
}
