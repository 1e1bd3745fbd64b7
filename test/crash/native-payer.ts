import { createRequire } from 'node:module'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import type Secp256k1 from 'secp256k1'
import { type Hex, hashTypedData, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/**
 * A wallet that signs by libsecp256k1, in a tenth of the time, so that many calls can be made concurrently.
 */
export function createNativePayer(key: Hex): Payer {
  const secp256k1 = createRequire(import.meta.url)('secp256k1') as typeof Secp256k1
  const secret = Buffer.from(key.slice(2), 'hex')
  return {
    ...privateKeyToAccount(key),
    signTypedData: async (typedData) => {
      // The type parameters only tie the message to its types, which the caller has done.
      const digest = hashTypedData(typedData as unknown as TypedDataDefinition)
      const { signature, recid } = secp256k1.ecdsaSign(Buffer.from(digest.slice(2), 'hex'), secret)
      return `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`
    },
  }
}
