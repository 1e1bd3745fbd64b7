import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { Problem } from '@tollbook/http/problem'
import type * as z from 'zod'
import type { PaymentRequirements } from '../contract/terms.ts'
import { exactPermit2Payload, uptoPayload } from './payload.ts'
import { issueOf, malformed, type Refusal, refused, type Signed } from './refusal.ts'

/** The same as `readExact`, for `upto`. */
export function readUpto(
  payload: unknown,
  terms: PaymentRequirements,
  header = 'PAYMENT-SIGNATURE',
): Signed | Refusal {
  const parsed = uptoPayload.safeParse(payload)
  if (!parsed.success) return { refusal: malformed(issueOf(parsed.error), 'invalid_payload', header) }
  const { permit2Authorization: permit } = parsed.data
  const facilitator = String(terms.extra.facilitatorAddress ?? '').toLowerCase()
  const refusal =
    findOtherParty(permit, terms, CONTRACTS.uptoPermit2Proxy) ??
    (permit.witness.facilitator === facilitator
      ? findOtherAmount(permit, terms)
      : refused('its facilitator is not the offered one', 'upto_facilitator_mismatch'))
  return refusal ? { refusal } : toSigned(parsed.data)
}

/** The same as `readExact`, for its payloads with Permit2. */
export function readExactByPermit2(
  payload: unknown,
  terms: PaymentRequirements,
  header = 'PAYMENT-SIGNATURE',
): Signed | Refusal {
  const parsed = exactPermit2Payload.safeParse(payload)
  if (!parsed.success) return { refusal: malformed(issueOf(parsed.error), 'invalid_payload', header) }
  const { permit2Authorization: permit } = parsed.data
  const refusal = findOtherParty(permit, terms, CONTRACTS.exactPermit2Proxy) ?? findOtherAmount(permit, terms)
  return refusal ? { refusal } : { ...toSigned(parsed.data), transferMethod: 'permit2' }
}

type Payload = z.output<typeof exactPermit2Payload>
type Permit = Payload['permit2Authorization']

function findOtherParty(
  permit: Permit,
  { scheme, payTo }: PaymentRequirements,
  proxy: Address,
): Problem | null {
  if (permit.spender !== proxy.toLowerCase())
    return refused(`its spender is not the x402 ${scheme} proxy`, 'invalid_permit2_spender')
  if (permit.witness.to !== payTo.toLowerCase())
    return refused('its payee is not the offered one', 'invalid_permit2_recipient_mismatch')
  return null
}

function findOtherAmount({ permitted }: Permit, { amount, asset }: PaymentRequirements): Problem | null {
  if (permitted.amount !== BigInt(amount))
    return refused('its amount is not the offered one', 'permit2_amount_mismatch')
  if (permitted.token !== asset.toLowerCase())
    return refused('its token is not the offered one', 'permit2_token_mismatch')
  return null
}

function toSigned({ permit2Authorization: permit, signature }: Payload): Signed {
  return {
    payer: permit.from,
    payTo: permit.witness.to,
    signedAmount: permit.permitted.amount,
    nonce: `0x${permit.nonce.toString(16).padStart(64, '0')}` satisfies Hex,
    validAfter: permit.witness.validAfter,
    validBefore: permit.deadline,
    signature,
  }
}
