import { BASE } from '@tollbook/chain/network'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { createServiceApp, type ServiceAppOptions } from '@tollbook/endpoints/serving/router'
import { toReply } from '@tollbook/gate/contract/answer-reply'
import type { Gate } from '@tollbook/gate/contract/exchange'
import type { SellerTerms } from '@tollbook/gate/contract/terms'
import { ProblemError } from '@tollbook/http/problem'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { pino } from 'pino'
import { jsonReply } from './json-reply.ts'
import { TEST_PAYER } from './run-endpoint.ts'

/** For tests of what surrounds the gate: takes any `payment-signature` for a payment of `TEST_PAYER`, and no money. */
export const openGate: Gate = {
  async serve(exchange) {
    const { request } = exchange
    if (!request.headers.has('payment-signature')) {
      const problem = await exchange.peekProblem()
      return jsonReply({ issues: problem?.issues ?? null, code: problem?.code ?? null }, 402)
    }
    const read = await exchange.readRequest()
    if ('problem' in read) throw new ProblemError(read.problem)
    return toReply(
      await exchange.run(read, { payer: TEST_PAYER, callId: exchange.requestId }, request.signal),
    )
  },
}

/** Terms of a seller that no test is ever paid as. */
export const testSeller: SellerTerms = {
  network: BASE.id,
  asset: BASE.usdc,
  assetName: BASE.usdcName,
  assetVersion: BASE.usdcVersion,
  payTo: '0x00000000000000000000000000000000000000bb',
}

/** A service of these endpoints behind the open gate; `lines` collects its log. */
export function createTestApp(
  endpoints: readonly Endpoint[],
  options: Partial<ServiceAppOptions> & { readonly lines?: string[]; readonly ports?: unknown } = {},
): ReturnType<typeof createServiceApp> {
  const { lines = [], ports = {}, ...others } = options
  return createServiceApp({
    service: {
      name: 'utility',
      title: 'Test',
      description: 'A service of a test.',
      baseUrl: 'https://test.example',
      endpoints,
      ports,
    },
    gate: openGate,
    seller: testSeller,
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
    limiter: createRateLimiter(1000),
    ...others,
  })
}
