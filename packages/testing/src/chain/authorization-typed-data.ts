import {
  AUTHORIZATION_FIELDS,
  type Authorization,
  USDC_DOMAIN,
} from '@tollbook/devchain/contracts/typed-data'
import type { Address, Hex } from 'viem'

/** EIP-712 data of a payment that anyone can submit. */
export function toTransferTypedData(message: Authorization) {
  return {
    domain: USDC_DOMAIN,
    types: { TransferWithAuthorization: AUTHORIZATION_FIELDS },
    primaryType: 'TransferWithAuthorization',
    message,
  } as const
}

/** EIP-712 data that cancels an unused authorization. */
export function toCancelTypedData(message: { readonly authorizer: Address; readonly nonce: Hex }) {
  return {
    domain: USDC_DOMAIN,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message,
  } as const
}
