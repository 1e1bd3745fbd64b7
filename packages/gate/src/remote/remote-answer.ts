import type { Hex } from '@tollbook/chain/hex'
import * as z from 'zod'
import type { RefusalKind } from '../reasons.ts'

/**
 * The answers of facilitators (x402-specification-v2.md section 7); null counts as absent, unknown fields are
 * ignored.
 */
const text = z.string().max(2_000).nullish()

export const verifyAnswer = z.looseObject({ isValid: z.boolean(), invalidReason: text })

export const settleAnswer = z.looseObject({
  success: z.boolean(),
  errorReason: text,
  transaction: text,
  amount: text,
})

export const supportedAnswer = z.looseObject({
  kinds: z.array(
    z.looseObject({
      x402Version: z.number(),
      scheme: z.string(),
      network: z.string(),
      extra: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
})

/** The code of a reason: some facilitators append text, which is not shown. */
export function reasonOf(given: string | null | undefined): string {
  const code = /^[A-Za-z0-9_.-]{1,100}/.exec(given ?? '')?.[0]
  return code ?? 'unexpected_settle_error'
}

export function hashOf(given: string | null | undefined): Hex | null {
  return given && /^0x[0-9a-fA-F]{64}$/.test(given) ? (given.toLowerCase() as Hex) : null
}

/** What a reason for not accepting a payment means to its payer. */
export function refusalKindOf(reason: string): RefusalKind {
  if (reason === 'permit2_allowance_required') return 'allowance'
  if (/insufficient|balance/i.test(reason)) return 'balance'
  return /expired|valid_before|valid_after|not_yet_valid|deadline/i.test(reason) ? 'lifetime' : 'other'
}

/**
 * Reasons that facilitators return before they send anything, from the error lists of the x402 SDKs and of
 * the specification's section 9. Only these make `success: false` certain; `nonce already used` is not one of
 * them, because it may have been used by this very payment.
 */
const BEFORE_SENDING =
  /^(invalid_(scheme|network|x402_version|payload|payment_requirements)|invalid_exact_evm_(payload|signature|scheme|network|recipient|authorization|missing|token|insufficient|eip3009|failed_to_parse|transaction_simulation)\w*|invalid_upto_evm_(scheme|network|payload)\w*|upto_\w+|invalid_permit2_\w+|permit2_(?!invalid_nonce)\w+|invalid_eip2612_\w+|eip2612_\w+|eip6492_\w+|insufficient_funds|asset_not_deployed_contract|unsupported_\w+|invalid_payment)$/

export function isBeforeSending(reason: string): boolean {
  return BEFORE_SENDING.test(reason)
}

/**
 * The reasons among them that concern the payer's wallet or its signature. Requirements and payload were
 * checked before the handler ran, and an authorization that expires before it is submitted was submitted too
 * late.
 */
const ABOUT_THE_PAYER =
  /insufficient|balance|allowance|signature|simulation|transfer_amount|(eip2612|eip6492)_|undeployed|invalid_payment$/
const ABOUT_TIME = /expired|deadline|valid_(before|after)|not_yet_valid|too_early/

/** Whether a reason for not sending anything means that the payer revoked what it had signed. */
export function isPayersDoing(reason: string): boolean {
  return ABOUT_THE_PAYER.test(reason) && !ABOUT_TIME.test(reason)
}
