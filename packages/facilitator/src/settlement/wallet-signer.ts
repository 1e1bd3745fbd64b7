import type { Address, Hex } from '@tollbook/chain/hex'
import { createKeySigner } from '@tollbook/chain/key-signer'
import {
  type SignedTransaction,
  signTransaction,
  type TransactionFields,
} from '@tollbook/chain/sign-transaction'
import { hashTypedData, type TypedData } from '@tollbook/chain/typed-data'

/** Signs what a wallet sends, wherever its key is. */
export type WalletSigner = {
  readonly address: Address
  signTransaction(chainId: number, fields: TransactionFields): Promise<SignedTransaction>
  /** @returns 65 bytes: r, s, v. */
  signTypedData(typed: TypedData): Promise<Hex>
}

/** Signs with a key in this process. @throws TypeError if the key is not a private key of secp256k1. */
export function createWalletSigner(key: Hex): WalletSigner {
  const signer = createKeySigner(key)
  return {
    address: signer.address,
    signTransaction: (chainId, fields) => signTransaction(signer, chainId, fields),
    async signTypedData(typed) {
      const { r, s, yParity } = await signer.sign(hashTypedData(typed))
      return `0x${r.slice(2)}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}`
    },
  }
}
