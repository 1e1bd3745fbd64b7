import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import type { Address, Hex, TypedDataDefinition } from 'viem'

/** An EIP-3009 authorization; times in epoch seconds, value in micro-USDC. */
export type Authorization = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

/** The message that a payer signs under Permit2 for the `upto` proxy; the facilitator is null for the `exact` proxy. */
export type PermitTransfer = {
  readonly amount: bigint
  readonly nonce: bigint
  readonly deadline: bigint
  readonly to: Address
  readonly facilitator: Address | null
  readonly validAfter: bigint
}

export const USDC_DOMAIN = {
  name: BASE.usdcName,
  version: BASE.usdcVersion,
  chainId: BASE.chainId,
  verifyingContract: BASE.usdc,
} as const

const PERMIT2_DOMAIN = {
  name: 'Permit2',
  chainId: BASE.chainId,
  verifyingContract: CONTRACTS.permit2,
} as const

/** The signed fields of an EIP-3009 authorization. */
export const AUTHORIZATION_FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

/** EIP-712 data of a payment that only the payee can submit. */
export function toReceiveTypedData(message: Authorization) {
  return {
    domain: USDC_DOMAIN,
    types: { ReceiveWithAuthorization: AUTHORIZATION_FIELDS },
    primaryType: 'ReceiveWithAuthorization',
    message,
  } as const
}

/** EIP-712 data of an EIP-2612 permit of USDC. */
export function toPermitTypedData(message: {
  readonly owner: Address
  readonly spender: Address
  readonly value: bigint
  readonly nonce: bigint
  readonly deadline: bigint
}) {
  return {
    domain: USDC_DOMAIN,
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message,
  } as const
}

/** EIP-712 data of a Permit2 transfer through the x402 proxy of its scheme. */
export function toPermitTransferTypedData(transfer: PermitTransfer): TypedDataDefinition {
  const { amount, nonce, deadline, to, facilitator, validAfter } = transfer
  const isUpto = facilitator !== null
  return {
    domain: PERMIT2_DOMAIN,
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'Witness' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      Witness: [
        { name: 'to', type: 'address' },
        ...(isUpto ? [{ name: 'facilitator', type: 'address' }] : []),
        { name: 'validAfter', type: 'uint256' },
      ],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token: BASE.usdc, amount },
      spender: isUpto ? CONTRACTS.uptoPermit2Proxy : CONTRACTS.exactPermit2Proxy,
      nonce,
      deadline,
      witness: { to, ...(isUpto && { facilitator }), validAfter },
    },
  }
}
