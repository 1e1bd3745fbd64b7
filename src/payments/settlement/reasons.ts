import type { RpcRefusal } from '../../chain/rpc/rpc-failure.ts'
import type { FailureCause } from '../facilitator.ts'
import { isByPermit2, type OfferedPayment } from '../payment.ts'

/**
 * Reason codes as the x402 SDKs write them (typescript/packages/mechanisms/evm, errors.ts of each scheme).
 */
const REASONS = {
  eip3009: {
    used: 'invalid_exact_evm_nonce_already_used',
    balance: 'invalid_exact_evm_insufficient_balance',
    signature: 'invalid_exact_evm_signature',
    ended: 'invalid_exact_evm_payload_authorization_valid_before',
    early: 'invalid_exact_evm_payload_authorization_valid_after',
    allowance: 'invalid_exact_evm_transaction_simulation_failed',
    other: 'invalid_exact_evm_transaction_simulation_failed',
  },
  permit2: {
    used: 'permit2_invalid_nonce',
    balance: 'permit2_insufficient_balance',
    signature: 'invalid_permit2_signature',
    ended: 'permit2_deadline_expired',
    early: 'permit2_not_yet_valid',
    allowance: 'permit2_allowance_required',
    other: 'permit2_simulation_failed',
  },
} as const

/** Vouchers are not settled one by one. */
export function reasonsOf(payment: OfferedPayment): Readonly<Record<ReasonKind, string>> {
  return REASONS[isByPermit2(payment) ? 'permit2' : 'eip3009']
}

export type ReasonKind = keyof (typeof REASONS)['eip3009']

/** Texts of FiatTokenV2_2 and selectors of the custom errors of Permit2 and the x402 proxies. */
const SIGNS: readonly (readonly [ReasonKind, RegExp])[] = [
  ['ended', /authorization is expired|0xcd21db4f/],
  ['early', /authorization is not yet valid|0xa65539fa/],
  ['used', /authorization is used or canceled|0x756688fe/],
  ['balance', /transfer amount exceeds balance/],
  ['allowance', /transfer amount exceeds allowance/],
  ['signature', /invalid signature|0x815e1d64|0x8baa579f|0x4be6321b|0xb0669cbc/],
]

/**
 * Reasons on the facilitator's side: a payment that was valid when its handler began is late, or a node lags.
 */
const OURS: ReadonlySet<ReasonKind> = new Set(['used', 'ended', 'early'])

/** Who caused a settlement to fail for such a reason after its payment was verified. */
export function causeOf(kind: ReasonKind): FailureCause {
  return OURS.has(kind) ? 'operator' : 'payer'
}

/** The cause of a revert; `other` if it is not recognized. */
export function reasonKindOf(refusal: RpcRefusal): ReasonKind {
  const text = `${refusal.message} ${decodeErrorText(refusal.data)}`
  return SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? 'other'
}

/** The text of a revert `Error(string)`, otherwise the data itself. */
function decodeErrorText(data: `0x${string}`): string {
  // Selector of Error(string), then offset and length.
  if (!data.startsWith('0x08c379a0')) return data.slice(0, 10)
  const length = Number(BigInt(`0x${data.slice(74, 138) || '0'}`))
  return Buffer.from(data.slice(138, 138 + length * 2), 'hex').toString('utf8')
}
