import { BASE, type Network } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { json } from '@tollbook/endpoints/answer'
import { type Call, defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import { refused } from '@tollbook/gate/authorization/refusal'
import type { OfferedPayment } from '@tollbook/gate/payment'
import type { Problem } from '@tollbook/http/problem'
import * as z from 'zod'
import { type FacilitatorPorts, openBudget } from './ports.ts'
import { readChannelRequest } from './read-channel-request.ts'
import { networkOf, type PaymentRequest, readPayment, requestShape } from './read-payment.ts'
import {
  answerOrThrow,
  failureOf,
  payerOf,
  toInvalid,
  toInvalidMembers,
  toUnsettledMembers,
} from './refusals.ts'
import { reasonOf, type SettleResult } from './settle-result.ts'

const FREE = { kind: 'free' } as const
/** A claim of 100 channels has 75 kB. */
const LIMITS = { bodyBytes: 98_304, bodyValues: 2_000, timeoutMs: 60_000 }
const PENDING_RETRY_SECONDS = 2

const input = requestShape.extend({
  authorization: z
    .string()
    .max(300)
    .optional()
    .describe('`Bearer` and an API key, if the operator requires one.'),
})
const settleInput = input.extend({
  idempotency_key: z
    .string()
    .regex(/^("?)[A-Za-z0-9_-]{16,128}\1$/, 'must be 16 to 128 letters, digits, hyphens and underscores')
    .transform((text) => text.replaceAll('"', ''))
    .optional()
    .describe('A secret of the seller for this payment: requests with it get the same success again.'),
})
type PaymentCall = Call<z.output<typeof input>, FacilitatorPorts, null>
type SettleCall = Call<z.output<typeof settleInput>, FacilitatorPorts, null>

const POST = {
  method: 'POST',
  pricing: FREE,
  input,
  limits: LIMITS,
  headerFields: { authorization: 'authorization' },
  secrets: ['authorization'],
} as const

function exampleOf({ id, usdc, usdcName, usdcVersion }: Network): z.input<typeof requestShape> {
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      accepted: { scheme: 'exact', network: id, amount: '1000' },
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
      network: id,
      asset: usdc,
      payTo: `0x${'22'.repeat(20)}`,
      maxTimeoutSeconds: 60,
      amount: '1000',
      extra: { name: usdcName, version: usdcVersion },
    },
  }
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
    isTest: z.boolean().describe('Whether its network is a test network, whose money is worthless.'),
    isLocal: z.boolean().describe('Whether it settles on a local chain, whatever id that has.'),
  }),
  example: { input: {} },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  handle: ({ ports }: Call<unknown, FacilitatorPorts, null>) => {
    const [facilitatorAddress] = ports.wallets
    const { id: network, nameV1 } = ports.network
    return json({
      kinds: [
        { x402Version: 2, scheme: 'exact', network },
        { x402Version: 2, scheme: 'upto', network, extra: { facilitatorAddress } },
        // Sellers sign claims and refunds: a key of ours would sign for anyone.
        ...(ports.channels ? [{ x402Version: 2, scheme: 'batch-settlement', network }] : []),
        { x402Version: 1, scheme: 'exact', network: nameV1 },
      ],
      extensions: ['eip2612GasSponsoring', 'bazaar'],
      signers: { 'eip155:*': [...ports.wallets] },
      isTest: ports.network.isTest,
      isLocal: ports.isLocal,
    })
  },
})

const verify = defineEndpoint({
  ...POST,
  id: 'verify',
  path: '/verify',
  problemMembers: toInvalidMembers,
  summary: 'Check a payment without settling it',
  description:
    'Whether a payment would settle now: signature, lifetime, balance, use of its nonce, and the limits of this facilitator.',
  output: z.object({
    isValid: z.boolean(),
    invalidReason: z.string().optional().describe('An x402 reason code.'),
    invalidMessage: z.string().optional(),
    payer: z.string().optional(),
    extra: z.record(z.string(), z.unknown()).optional().describe('The channel, if a voucher pays.'),
  }),
  example: { input: exampleOf(BASE) },
  async handle({ input: request, ports, clientAddress }: PaymentCall) {
    const budget = openBudget(ports, { clientAddress, authorization: request.authorization })
    if (isChannelRequest(request)) {
      budget.end()
      const { channels, network } = ports
      const read = readChannelRequest(request, network)
      const answer = !channels ? NO_CHANNELS : 'problem' in read ? read : await channels.verify(request, read)
      return json('problem' in answer ? answerOrThrow(answer.problem, toInvalid(answer.problem)) : answer)
    }
    const read = readPayment(request, ports)
    const problem = 'problem' in read ? read.problem : await ports.settlements.verify(read, budget)
    if ('problem' in read) budget.end()
    const payer = 'problem' in read ? payerOf(request) : read.payment.payer
    if (!problem) return json({ isValid: true, payer })
    return json(answerOrThrow(problem, toInvalid(problem, payer, request.paymentPayload.x402Version)))
  },
})

const settle = defineEndpoint({
  ...POST,
  input: settleInput,
  headerFields: { ...POST.headerFields, 'idempotency-key': 'idempotency_key' },
  secrets: [...POST.secrets, 'idempotency_key'],
  id: 'settle',
  path: '/settle',
  summary: 'Settle a payment, once',
  description:
    'Moves the money, once. One request gets the success, and those with the same `Idempotency-Key`. Repeat a request that was answered `settlement_pending`, or not at all.',
  output: z.object({
    success: z.boolean(),
    errorReason: z.string().optional().describe('An x402 reason code, or `settlement_pending`.'),
    errorMessage: z.string().optional(),
    payer: z.string().optional(),
    transaction: z
      .string()
      .describe('The hash; several payments may share it. Empty if nothing was sent, as for a charge of 0.'),
    network: z.string(),
    amount: z.string().optional().describe('Micro-USDC that moved.'),
    extra: z.record(z.string(), z.unknown()).optional().describe('The channel after a deposit or refund.'),
  }),
  example: { input: exampleOf(BASE) },
  async handle({ input: request, ports, clientAddress, whenWritten }: SettleCall) {
    const startedMs = performance.now()
    const budget = openBudget(ports, { clientAddress, authorization: request.authorization })
    if (isChannelRequest(request)) {
      budget.end()
      return settleChannel(request, ports, startedMs)
    }
    const read = readPayment(request, ports)
    const key = request.idempotency_key ?? null
    const result: SettleResult =
      'problem' in read
        ? { outcome: 'refused', problem: read.problem }
        : await ports.settlements.settle(read, { budget, key, whenWritten }).finally(budget.end)
    if ('problem' in read) budget.end()
    const { x402Version } = request.paymentPayload
    const errorReason = failureOf(result, x402Version)
    ports.metrics.noteResult(result.outcome, errorReason, performance.now() - startedMs)
    const payer = 'problem' in read ? payerOf(request) : read.payment.payer
    const network = networkOf(x402Version, ports.network)
    if (result.outcome === 'settled') {
      const { transaction, amount } = result
      const amountText = amount.toString()
      const body = { success: true, payer, transaction: transaction ?? '', network, amount: amountText }
      // A charge of nothing proves no sale.
      const isSold = amount > 0n && !('problem' in read)
      return json(body, isSold ? await reportListing(ports, request, read.payment, amount) : {})
    }
    const transaction = (result.outcome === 'pending' && result.transaction) || ''
    const failure = { success: false, errorReason, payer, transaction, network }
    if (result.outcome === 'refused')
      return json(answerOrThrow(result.problem, { ...failure, errorMessage: result.problem.detail }))
    const headers = { 'retry-after': String(PENDING_RETRY_SECONDS) }
    return json(failure, result.outcome === 'pending' ? { headers } : {})
  },
})

/** Its requests always count for their address: a refund returns what a deposit cost. */
async function settleChannel(request: PaymentRequest, ports: FacilitatorPorts, startedMs: number) {
  const { channels, network } = ports
  const read = readChannelRequest(request, network)
  const answer = !channels
    ? NO_CHANNELS
    : 'problem' in read
      ? read
      : read.kind === 'voucher'
        ? VOUCHER
        : await channels.settle(request, read)
  const reason = 'problem' in answer ? reasonOf(answer.problem) : (answer.errorReason ?? '')
  const isPending = reason === 'settlement_pending'
  const outcome =
    'problem' in answer ? 'refused' : answer.success ? 'settled' : isPending ? 'pending' : 'failed'
  ports.metrics.noteResult(outcome, reason, performance.now() - startedMs)
  if (!('problem' in answer))
    return json(answer, isPending ? { headers: { 'retry-after': String(PENDING_RETRY_SECONDS) } } : {})
  const { problem } = answer
  const failure = { success: false, errorReason: reason, transaction: '', network: ports.network.id }
  return json(answerOrThrow(problem, { ...failure, errorMessage: problem.detail }))
}

const VOUCHER = {
  problem: refused('a voucher is claimed, not settled', 'invalid_batch_settlement_evm_payload_type'),
}
/** As of any other scheme that is not in `/supported`. */
const NO_CHANNELS = { problem: refused('this facilitator settles no payment channels', 'unsupported_scheme') }

function isChannelRequest({ paymentRequirements }: PaymentRequest): boolean {
  return paymentRequirements.scheme === 'batch-settlement'
}

/** With the examples of a network. The catalogue contains what was settled. */
export function createFacilitatorEndpoints(network: Network): readonly Endpoint[] {
  const example = { input: exampleOf(network) }
  const problemMembers = (problem: Problem) => toUnsettledMembers(problem, network)
  return [supported, { ...verify, example }, { ...settle, example, problemMembers }]
}

/** The header with which x402 facilitators report about extensions. Money has moved: nothing here may fail. */
async function reportListing(
  { listings }: FacilitatorPorts,
  request: PaymentRequest,
  payment: OfferedPayment,
  amount: AtomicUsdc,
): Promise<{ headers?: Readonly<Record<string, string>> }> {
  const bazaar = await listings
    .record(request, payment, amount)
    .catch(() => ({ status: 'rejected', rejectedReason: 'catalogue_unavailable' }))
  if (!bazaar) return {}
  return { headers: { 'extension-responses': Buffer.from(JSON.stringify({ bazaar })).toString('base64') } }
}
