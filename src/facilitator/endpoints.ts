import * as z from 'zod'
import { json } from '../catalogue/answer.ts'
import { type Call, defineEndpoint, type Endpoint } from '../catalogue/endpoint.ts'
import { PROBLEMS, type Problem, ProblemError } from '../http/problem.ts'
import { BASE } from '../money/base.ts'
import type { OfferedPayment } from '../payments/payment.ts'
import { DISCOVERY_ENDPOINTS } from '../report/publish/discovery/discovery-routes.ts'
import { type FacilitatorPorts, openBudget } from './ports.ts'
import { networkOf, type PaymentRequest, readPayment, requestShape } from './read-payment.ts'
import { reasonOf, type SettleResult } from './settlements.ts'

const FREE = { kind: 'free' } as const
/** A payment with a deployment and its discovery metadata needs less than half. */
const LIMITS = { bodyBytes: 32_768, bodyValues: 2_000, timeoutMs: 60_000 }
const PENDING_RETRY_SECONDS = 2

const input = requestShape.extend({
  authorization: z
    .string()
    .max(300)
    .optional()
    .describe('`Bearer` and an API key, if the operator requires one.'),
})
type PaymentCall = Call<z.output<typeof input>, FacilitatorPorts, null>

const POST = {
  method: 'POST',
  pricing: FREE,
  input,
  limits: LIMITS,
  headerFields: { authorization: 'authorization' },
  secrets: ['authorization'],
} as const

const EXAMPLE: z.input<typeof requestShape> = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    accepted: { scheme: 'exact', network: BASE.network, amount: '1000' },
    payload: {
      signature: `0x${'00'.repeat(65)}`,
      authorization: {
        from: `0x${'11'.repeat(20)}`,
        to: `0x${'22'.repeat(20)}`,
        value: '1000',
        validAfter: '0',
        validBefore: '1790000000',
        nonce: `0x${'33'.repeat(32)}`,
      },
    },
  },
  paymentRequirements: {
    scheme: 'exact',
    network: BASE.network,
    asset: BASE.usdc,
    payTo: `0x${'22'.repeat(20)}`,
    maxTimeoutSeconds: 60,
    amount: '1000',
    extra: { name: BASE.usdcName, version: BASE.usdcVersion },
  },
}

const supported = defineEndpoint({
  id: 'supported',
  method: 'GET',
  path: '/supported',
  pricing: FREE,
  isPostRead: false,
  summary: 'Kinds of payments, extensions and wallets',
  description:
    'The versions, schemes and networks that this facilitator settles, and the wallets that it settles with.',
  input: z.object({}),
  output: z.object({
    kinds: z.array(
      z.object({
        x402Version: z.int(),
        scheme: z.string(),
        network: z.string(),
        extra: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    extensions: z.array(z.string()),
    signers: z.record(z.string(), z.array(z.string())),
  }),
  example: { input: {} },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  handle: ({ ports }: Call<unknown, FacilitatorPorts, null>) => {
    const [facilitatorAddress] = ports.wallets
    return json({
      kinds: [
        { x402Version: 2, scheme: 'exact', network: BASE.network },
        { x402Version: 2, scheme: 'upto', network: BASE.network, extra: { facilitatorAddress } },
        { x402Version: 1, scheme: 'exact', network: BASE.networkV1 },
      ],
      extensions: ['eip2612GasSponsoring', 'bazaar'],
      signers: { 'eip155:*': [...ports.wallets] },
    })
  },
})

const verify = defineEndpoint({
  ...POST,
  id: 'verify',
  path: '/verify',
  summary: 'Check a payment without settling it',
  description:
    'Whether a payment would settle now: signature, lifetime, balance, use of its nonce, and the limits of this facilitator.',
  output: z.object({
    isValid: z.boolean(),
    invalidReason: z.string().optional().describe('An x402 reason code.'),
    invalidMessage: z.string().optional(),
    payer: z.string().optional(),
  }),
  example: { input: EXAMPLE },
  async handle({ input: request, ports, clientAddress }: PaymentCall) {
    const budget = openBudget(ports, { clientAddress, authorization: request.authorization })
    const read = readPayment(request, ports.wallets)
    const problem = 'problem' in read ? read.problem : await ports.settlements.verify(read, budget)
    if ('problem' in read) budget.end()
    const payer = 'problem' in read ? payerOf(request) : read.payment.payer
    if (!problem) return json({ isValid: true, payer })
    const refusal = {
      isValid: false,
      invalidReason: reasonOf(problem),
      invalidMessage: problem.detail,
      payer,
    }
    return json(answerOrThrow(problem, refusal))
  },
})

const settle = defineEndpoint({
  ...POST,
  id: 'settle',
  path: '/settle',
  summary: 'Settle a payment, once',
  description:
    'Moves the money. Idempotent: the same authorization gets the same answer. Repeat a request that was answered `settlement_pending`, or not at all.',
  output: z.object({
    success: z.boolean(),
    errorReason: z.string().optional().describe('An x402 reason code, or `settlement_pending`.'),
    errorMessage: z.string().optional(),
    payer: z.string().optional(),
    transaction: z.string().describe('The hash; several payments may share it. Empty if nothing was sent.'),
    network: z.string(),
    amount: z.string().optional().describe('Micro-USDC that moved.'),
  }),
  example: { input: EXAMPLE },
  async handle({ input: request, ports, clientAddress }: PaymentCall) {
    const startedMs = performance.now()
    const budget = openBudget(ports, { clientAddress, authorization: request.authorization })
    const read = readPayment(request, ports.wallets)
    const result: SettleResult =
      'problem' in read
        ? { outcome: 'refused', problem: read.problem }
        : await ports.settlements.settle(read, budget).finally(budget.end)
    if ('problem' in read) budget.end()
    ports.metrics.noteResult(result.outcome, failureOf(result), performance.now() - startedMs)
    const payer = 'problem' in read ? payerOf(request) : read.payment.payer
    const network = networkOf(request.paymentPayload.x402Version)
    if (result.outcome === 'settled') {
      const { transaction, amount } = result
      const amountText = amount.toString()
      const body = { success: true, payer, transaction: transaction ?? '', network, amount: amountText }
      return json(body, 'problem' in read ? {} : await reportListing(ports, request, read.payment))
    }
    const transaction = (result.outcome === 'pending' && result.transaction) || ''
    const failure = { success: false, errorReason: failureOf(result), payer, transaction, network }
    if (result.outcome === 'refused')
      return json(answerOrThrow(result.problem, { ...failure, errorMessage: result.problem.detail }))
    const headers = { 'retry-after': String(PENDING_RETRY_SECONDS) }
    return json(failure, result.outcome === 'pending' ? { headers } : {})
  },
})

/** The catalogue contains what was settled. */
export const FACILITATOR_ENDPOINTS: readonly Endpoint[] = [supported, verify, settle, ...DISCOVERY_ENDPOINTS]

/** The header with which x402 facilitators report about extensions. Money has moved: nothing here may fail. */
async function reportListing(
  { listings }: FacilitatorPorts,
  request: PaymentRequest,
  payment: OfferedPayment,
): Promise<{ headers?: Readonly<Record<string, string>> }> {
  const bazaar = await listings
    .record(request, payment)
    .catch(() => ({ status: 'rejected', rejectedReason: 'catalogue_unavailable' }))
  if (!bazaar) return {}
  return { headers: { 'extension-responses': Buffer.from(JSON.stringify({ bazaar })).toString('base64') } }
}

/**
 * A payment that is refused is an answer; a malformed request, a rate limit or an outage is a problem, with the
 * members that x402 clients read.
 */
function answerOrThrow<Refusal extends object>(problem: Problem, refusal: Refusal): Refusal {
  const { status } = PROBLEMS[problem.code]
  if (status === 402 || status === 409) return refusal
  throw new ProblemError({ ...problem, members: { ...problem.members, ...refusal } })
}

function failureOf(result: SettleResult): string {
  if (result.outcome === 'refused') return reasonOf(result.problem)
  if (result.outcome === 'failed') return result.reason
  return result.outcome === 'pending' ? 'settlement_pending' : ''
}

/** As far as a payment that is refused names its payer. */
function payerOf({ paymentPayload }: PaymentRequest): string | undefined {
  const { data } = payerShape.safeParse(paymentPayload)
  return data?.payload.authorization?.from ?? data?.payload.permit2Authorization?.from
}

const from = z.looseObject({ from: z.string().regex(/^0x[0-9a-fA-F]{40}$/) }).optional()
const payerShape = z.looseObject({
  payload: z.looseObject({ authorization: from, permit2Authorization: from }),
})
