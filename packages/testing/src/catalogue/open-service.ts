import type { Address } from '@tollbook/chain/hex'
import type { Service } from '@tollbook/endpoints/service'
import { createServiceApp } from '@tollbook/endpoints/serving/router'
import { toReply } from '@tollbook/gate/contract/answer-reply'
import type { Gate } from '@tollbook/gate/contract/exchange'
import { ProblemError } from '@tollbook/http/problem'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { pino } from 'pino'
import { jsonReply } from './json-reply.ts'
import { TEST_TIME } from './run-endpoint.ts'
import { testSeller } from './test-app.ts'

/** A test's request to a service: the wallet, the body (JSON), the headers and the time. */
export type Ask = {
  readonly payer?: Address
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** A body in any other form, which the headers state. */
  readonly raw?: Uint8Array<ArrayBuffer>
}

export type Answered = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly bytes: Uint8Array
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the answer it asked for
  readonly body: any
}

/**
 * A service whose gate trusts the caller's statement of the paying wallet; arguments and answers take the
 * whole route.
 */
export function openService(service: Service) {
  let now = TEST_TIME
  const gate: Gate = {
    async serve(exchange) {
      const payer = exchange.request.headers.get('payment-signature')
      if (!payer) return jsonReply({ problem: await exchange.peekProblem() }, 402)
      const read = await exchange.readRequest()
      if ('problem' in read) throw new ProblemError(read.problem)
      return toReply(
        await exchange.run(
          read,
          { payer: payer as Address, callId: exchange.requestId },
          exchange.request.signal,
        ),
      )
    },
  }
  const app = createServiceApp({
    service,
    gate,
    seller: testSeller,
    logger: pino({ level: 'silent' }),
    limiter: createRateLimiter(100_000),
    clock: () => now,
  })
  async function ask(path: string, { payer, method, body, raw, headers }: Ask = {}): Promise<Answered> {
    const init: RequestInit = {
      method: method ?? 'GET',
      headers: {
        ...(payer && { 'payment-signature': payer }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(raw && { body: raw }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    const response = await app.request(path, init)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const isJson =
      text !== '' &&
      /json/.test(response.headers.get('content-type') ?? '') &&
      !/ndjson/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      bytes,
      body: isJson ? JSON.parse(text) : null,
    }
  }
  return {
    ask,
    setTime(time: Date): void {
      now = time
    },
  }
}
