import { PROBLEMS, type Problem } from '@tollbook/http/problem'
import { renderProblem } from '@tollbook/http/reply/problem-document'
import type { Reply } from '@tollbook/http/reply/reply'
import type { Exchange } from '../contract/exchange.ts'
import type { Settlement } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'
import { settlementHeaders } from '../protocols/protocols.ts'
import type { Challenges } from './challenge.ts'
import type { PaidCall, RunningCall } from './paid-call.ts'

/** The outcome of a settlement is usually known after a block or two. */
const UNKNOWN_RETRY_SECONDS = 5
/** A settlement whose transaction could not be stored, so that none was sent. */
const UNRECORDED: Problem = {
  code: 'unavailable',
  detail:
    'The settlement could not be stored, so nothing was sent or charged. Send the very same payment again.',
  retryAfterSeconds: 1,
}
/** What nginx logs for a client that closed the connection; nobody reads the response. */
const CLIENT_GONE = 499
export const GONE: Problem = { code: 'unavailable', detail: 'The client disconnected.' }

/** All answers of the gate other than the requested one. */
export class Refusals {
  readonly #challenges: Challenges
  readonly #count: (event: PaymentEvent) => void

  constructor(parts: { readonly challenges: Challenges; readonly count: (event: PaymentEvent) => void }) {
    this.#challenges = parts.challenges
    this.#count = parts.count
  }

  refuse(exchange: Exchange, problem: Problem, headers: Readonly<Record<string, string>> = {}): Reply {
    const { service, endpoint } = exchange
    this.#count({ kind: 'refused', service: service.name, endpoint: endpoint.id, code: problem.code })
    const isUnpaid = PROBLEMS[problem.code].status === 402
    const challenged = isUnpaid ? this.#challenges.withTerms(exchange, problem) : problem
    return renderProblem(
      { ...challenged, headers: { ...challenged.headers, ...headers } },
      {
        baseUrl: service.baseUrl,
        hasProblemsPage: service.hasProblemsPage,
        dialect: endpoint.dialect,
        requestId: exchange.requestId,
      },
    )
  }

  /** The settlement failed, or its outcome is unknown. */
  unsettled(call: RunningCall, settlement: Exclude<Settlement, { outcome: 'settled' }>): Reply {
    const { exchange, payment, lease, protocol } = call
    // Clients that retry on their own would sign a second payment.
    const headers = {
      ...settlementHeaders(protocol, { payment, receiptId: lease.id, settlement }),
      'x-should-retry': 'false',
    }
    // Its client reads the state of the channel only where no settlement is stated.
    if (settlement.outcome === 'failed' && settlement.problem)
      return this.refuse(exchange, settlement.problem)
    if (settlement.outcome === 'failed' && settlement.reason === 'not_recorded')
      return this.refuse(exchange, UNRECORDED, headers)
    if (settlement.outcome === 'failed') {
      const problem: Problem = {
        code: 'payment_settlement_failed',
        detail: 'The payment did not settle, so nothing was charged and the answer is withheld.',
        members: { reason: settlement.reason },
      }
      return this.refuse(exchange, problem, headers)
    }
    const problem: Problem = {
      code: 'settlement_unknown',
      detail: 'It is not known yet whether the payment settled. Send the very same payment again.',
      retryAfterSeconds: UNKNOWN_RETRY_SECONDS,
      members: { receipt: lease.id },
    }
    return this.refuse(exchange, problem, headers)
  }

  inFlight({ exchange }: Pick<PaidCall, 'exchange'>): Reply {
    return this.refuse(exchange, {
      code: 'payment_in_flight',
      detail: 'A request with this payment is in progress. Retry with the same payment.',
      retryAfterSeconds: 1,
    })
  }

  gone(): Reply {
    return { status: CLIENT_GONE, headers: {}, body: null }
  }
}
