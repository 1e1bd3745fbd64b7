import { privateKeyToAccount, sign } from 'viem/accounts'
import type { Address, Hex } from '../../../chain/hex.ts'
import { createKeccak } from '../../../chain/keccak.ts'
import { loadSecp256k1 } from '../../../chain/secp256k1.ts'
import {
  serializeTransaction,
  type TransactionFields,
  type TransactionSignature,
} from './serialize-transaction.ts'

export type SignedTransaction = { readonly raw: Hex; readonly hash: Hex }

/** Signs transactions of one wallet. The key stays inside, and no error message contains it. */
export type TransactionSigner = {
  readonly address: Address
  sign(transaction: Omit<TransactionFields, 'chainId'>): Promise<SignedTransaction>
}

/** @throws TypeError if the key is not a private key of secp256k1. */
export function createTransactionSigner(key: Hex, chainId: number): TransactionSigner {
  const address = addressOf(key)
  const keccak = createKeccak()
  const signDigest = createDigestSigner(key)
  return {
    address,
    async sign(transaction) {
      const fields = { ...transaction, chainId }
      const signature = await signDigest(keccak(serializeTransaction(fields)))
      const raw = serializeTransaction(fields, signature)
      return { raw: toHex(raw), hash: toHex(keccak(raw)) }
    },
  }
}

/** With libsecp256k1 if it loads (60 microseconds), otherwise with viem (about 800); both follow RFC 6979. */
function createDigestSigner(
  key: Hex,
): (digest: Buffer) => TransactionSignature | Promise<TransactionSignature> {
  const secp256k1 = loadSecp256k1()
  if (!secp256k1)
    return async (digest) => {
      const { r, s, yParity = 0 } = await sign({ hash: toHex(digest), privateKey: key })
      return { r, s, yParity }
    }
  const bytes = Buffer.from(key.slice(2), 'hex')
  return (digest) => {
    const { signature, recid } = secp256k1.ecdsaSign(digest, bytes)
    return { r: toHex(signature.subarray(0, 32)), s: toHex(signature.subarray(32)), yParity: recid }
  }
}

function addressOf(key: Hex): Address {
  try {
    return privateKeyToAccount(key).address.toLowerCase() as Address
  } catch {
    // The cause's message may contain the key.
    throw new TypeError('the facilitator key is not a private key')
  }
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
