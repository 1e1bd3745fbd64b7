import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { toTransferTypedData } from '@tollbook/testing/chain/authorization-typed-data'
import { x402Facilitator } from '@x402/core/facilitator'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, type Hex, http, nonceManager, publicActions, verifyTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'

/**
 * Answers at once, without a chain. With `checksSignature` it recovers the signer once per payment with viem,
 * as the SDK's own facilitator does for wallets without code; the SDK's facilitator repeats that when it
 * settles.
 */
export function createInstantClient(checksSignature: boolean): FacilitatorClient {
  return {
    async verify(payment) {
      const { from: payer } = authorizationOf(payment)
      const isValid = !checksSignature || (await isSigned(payment))
      return { isValid, payer, ...(!isValid && { invalidReason: 'invalid_exact_evm_payload_signature' }) }
    },
    async settle(payment) {
      const { from: payer, nonce } = authorizationOf(payment)
      return { success: true, payer, transaction: nonce, network: BASE.id }
    },
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: BASE.id }],
      extensions: [],
      signers: {},
    }),
  }
}

/** The SDK's facilitator in this process, built as in its guide, with viem's nonce manager. */
export function createInProcessClient(rpcUrl: string): FacilitatorClient {
  const account = privateKeyToAccount(devFacilitatorKey, { nonceManager })
  const wallet = createWalletClient({
    account,
    chain: base,
    transport: http(rpcUrl),
    // Its default of 4 s is longer than any settlement here.
    pollingInterval: 20,
  }).extend(publicActions)
  // The SDK types its arguments more loosely than viem does.
  type Signer = Parameters<typeof toFacilitatorEvmSigner>[0]
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as Signer)
  const facilitator = new x402Facilitator().register(BASE.id, new ExactEvmScheme(signer))
  return {
    verify: (payment, requirements) => facilitator.verify(payment, requirements),
    settle: (payment, requirements) => facilitator.settle(payment, requirements),
    // The SDK's two types of the same answer differ in how they write a network.
    getSupported: async () =>
      facilitator.getSupported() as Awaited<ReturnType<FacilitatorClient['getSupported']>>,
  }
}

type SignedAuthorization = {
  readonly from: Hex
  readonly to: Hex
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: Hex
}

function authorizationOf(payment: PaymentPayload): SignedAuthorization {
  return payment.payload.authorization as SignedAuthorization
}

function isSigned(payment: PaymentPayload): Promise<boolean> {
  const { from, to, value, validAfter, validBefore, nonce } = authorizationOf(payment)
  const message = {
    from,
    to,
    nonce,
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
  }
  const signature = payment.payload.signature as Hex
  return verifyTypedData({ address: from, ...toTransferTypedData(message), signature })
}
