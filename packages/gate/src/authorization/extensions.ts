import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address } from '@tollbook/chain/hex'
import type { AllowancePermit } from '../payment.ts'
import { containsJson } from './likeness.ts'
import { permitInfo } from './payload.ts'

/** An issue with the extensions: the x402 reason code and a sentence. */
export type ExtensionIssue = { readonly reason: string; readonly detail: string }

/** x402 `payment-identifier`: 16 to 128 letters, digits, hyphens and underscores. */
const IDENTIFIER = /^[A-Za-z0-9_-]{16,128}$/

/** An echoed extension may add to the offered one, but must not change it. */
export function findChangedExtension(
  echoed: Readonly<Record<string, unknown>>,
  offered: Readonly<Record<string, unknown>>,
): ExtensionIssue | null {
  for (const [key, value] of Object.entries(echoed)) {
    if (!Object.hasOwn(offered, key) || containsJson(value, offered[key])) continue
    return { reason: 'extension_echo_mismatch', detail: `the extension ${key} differs from what was offered` }
  }
  return null
}

/** The client's identifier of its payment, if it sent one. */
export function readIdentifier(
  extensions: Readonly<Record<string, unknown>>,
): { readonly identifier?: string } | ExtensionIssue {
  const id = infoOf(extensions['payment-identifier'])?.id
  return id === undefined ? {} : checkIdentifier(id)
}

function checkIdentifier(id: unknown): { readonly identifier: string } | ExtensionIssue {
  if (typeof id === 'string' && IDENTIFIER.test(id)) return { identifier: id }
  return {
    reason: 'invalid_payment_identifier',
    detail: 'the payment identifier must be 16 to 128 letters, digits, hyphens and underscores',
  }
}

/**
 * The identifier of a payment: its extension, or the header `Idempotency-Key`, which means the same
 * (draft-ietf-httpapi-idempotency-key-header-07: a string in quotes; most clients omit them).
 */
export function joinIdentifier(
  identifier: string | undefined,
  header: string | null,
): { readonly identifier?: string } | ExtensionIssue {
  if (header === null) return identifier === undefined ? {} : { identifier }
  const ofHeader = checkIdentifier(/^"(.*)"$/.exec(header)?.[1] ?? header)
  if ('reason' in ofHeader || identifier === undefined || ofHeader.identifier === identifier) return ofHeader
  return { reason: 'invalid_payment_identifier', detail: 'the payment has another payment-identifier' }
}

/**
 * The payer's permit for Permit2, if it signed one. A client that needs none echoes the offered extension,
 * which has no signature.
 */
export function readPermit(
  extensions: Readonly<Record<string, unknown>>,
  signed: { readonly payer: Address; readonly asset: string; readonly amount: bigint },
): { readonly permit?: AllowancePermit } | ExtensionIssue {
  const info = infoOf(extensions.eip2612GasSponsoring)
  if (!info || info.signature === undefined) return {}
  const parsed = permitInfo.safeParse(info)
  if (!parsed.success)
    return { reason: 'invalid_eip2612_extension_format', detail: 'the EIP-2612 permit is malformed' }
  const permit = parsed.data
  if (permit.from !== signed.payer)
    return { reason: 'eip2612_from_mismatch', detail: 'the EIP-2612 permit is for another owner' }
  if (permit.asset !== signed.asset.toLowerCase())
    return { reason: 'eip2612_asset_mismatch', detail: 'the EIP-2612 permit is for another token' }
  if (permit.spender !== CONTRACTS.permit2.toLowerCase())
    return { reason: 'eip2612_spender_not_permit2', detail: 'the EIP-2612 permit is not for Permit2' }
  // Otherwise settleWithPermit of the x402 proxies reverts with Permit2612AmountMismatch.
  if (permit.amount !== signed.amount)
    return { reason: 'permit2_2612_amount_mismatch', detail: 'the EIP-2612 permit is for another amount' }
  return { permit: { deadline: permit.deadline, signature: permit.signature } }
}

function infoOf(extension: unknown): Record<string, unknown> | null {
  if (typeof extension !== 'object' || extension === null || !('info' in extension)) return null
  const { info } = extension
  return typeof info === 'object' && info !== null ? (info as Record<string, unknown>) : null
}
