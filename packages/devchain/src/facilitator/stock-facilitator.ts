import { BASE, type Network } from '@tollbook/chain/network'
import { x402Facilitator } from '@x402/core/facilitator'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator'
import { UptoEvmScheme } from '@x402/evm/upto/facilitator'
import type { FacilitatorSigner } from './settling-wallet.ts'

/** With it, an EIP-2612 permit in a payment gives Permit2 its allowance. */
const GAS_SPONSORING = { key: 'eip2612GasSponsoring' }

/** The facilitator of the x402 SDK for USDC on Base, or another network: `exact` in versions 1 and 2, and `upto`. */
export function createStockFacilitator(signer: FacilitatorSigner, network: Network = BASE): x402Facilitator {
  return (
    new x402Facilitator()
      .register(network.id, new ExactEvmScheme(signer))
      .register(network.id, new UptoEvmScheme(signer))
      // The SDK declares CAIP-2 names alone; in version 1 a network has another.
      .registerV1(network.nameV1 as `${string}:${string}`, new ExactEvmSchemeV1(signer))
      .registerExtension(GAS_SPONSORING)
  )
}
