import type { Network } from '@tollbook/chain/network'
import { PROBLEMS, type Problem, ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import type { PaymentRequest } from './read-payment.ts'
import { reasonOf, type SettleResult } from './settle-result.ts'

type Version = 1 | 2

/** What version 1 calls a reason of version 2 (x402 specification v1, section 9). */
const NAMES_OF_V1: Readonly<Record<string, string>> = {
  invalid_exact_evm_signature: 'invalid_exact_evm_payload_signature',
  invalid_exact_evm_payload_authorization_value_mismatch: 'invalid_exact_evm_payload_authorization_value',
}

/**
 * A payment that is refused is an answer; a malformed request, a rate limit or an outage is a problem, with the
 * members that x402 clients read.
 */
export function answerOrThrow<Refusal extends object>(problem: Problem, refusal: Refusal): Refusal {
  const { status } = PROBLEMS[problem.code]
  if (status === 402 || status === 409) return refusal
  throw new ProblemError({ ...problem, members: { ...problem.members, ...refusal } })
}

export function toInvalid(problem: Problem, payer?: string, version: Version = 2) {
  const invalidReason = nameReason(reasonOf(problem), version)
  return { isValid: false, invalidReason, invalidMessage: problem.detail, payer }
}

/** The reason of an unsettled payment; empty if it is settled. */
export function failureOf(result: SettleResult, version: Version): string {
  if (result.outcome === 'refused') return nameReason(reasonOf(result.problem), version)
  if (result.outcome === 'failed') return result.reason
  return result.outcome === 'pending' ? 'settlement_pending' : ''
}

/** The members of `/verify` in every problem, also where the body could not be read. */
export function toInvalidMembers(problem: Problem) {
  return { isValid: false, invalidReason: reasonOfBody(problem), invalidMessage: problem.detail }
}

/** The same of `/settle`. */
export function toUnsettledMembers(problem: Problem, { id: network }: Network) {
  const failure = { success: false, errorReason: reasonOfBody(problem), errorMessage: problem.detail }
  return { ...failure, transaction: '', network }
}

/** As far as a payment that is refused names its payer. */
export function payerOf({ paymentPayload }: PaymentRequest): string | undefined {
  const { data } = payerShape.safeParse(paymentPayload)
  return data?.payload.authorization?.from ?? data?.payload.permit2Authorization?.from
}

function nameReason(reason: string, version: Version): string {
  return version === 1 ? (NAMES_OF_V1[reason] ?? reason) : reason
}

/** The x402 code of a body that cannot be read, by its first issue. */
function reasonOfBody(problem: Problem): string {
  const { status } = PROBLEMS[problem.code]
  if (problem.members?.reason !== undefined || (status !== 400 && status !== 413)) return reasonOf(problem)
  const parameter = problem.issues?.[0]?.parameter ?? ''
  if (parameter.endsWith('x402Version')) return 'invalid_x402_version'
  return parameter.startsWith('paymentRequirements') ? 'invalid_payment_requirements' : 'invalid_payload'
}

const from = z.looseObject({ from: z.string().regex(/^0x[0-9a-fA-F]{40}$/) }).optional()
const payerShape = z.looseObject({
  payload: z.looseObject({ authorization: from, permit2Authorization: from }),
})
