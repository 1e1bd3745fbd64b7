import { keccak256, type TransactionSerializableEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../catalogue/endpoint.ts'
import type { Hex } from '../payment.ts'
import type { ContractCall } from './calldata.ts'
import type { Fees } from './fees.ts'

export type SignedTransaction = { readonly raw: Hex; readonly hash: Hex }

/** Signs transactions of one wallet. The key stays inside and is in no message that this throws. */
export type TransactionSigner = {
  readonly address: Address
  sign(transaction: {
    readonly nonce: number
    readonly call: ContractCall
    readonly gas: bigint
    readonly fees: Fees
  }): Promise<SignedTransaction>
}

/** @throws TypeError when the key is no private key of secp256k1. */
export function createTransactionSigner(key: Hex, chainId: number): TransactionSigner {
  const account = toAccount(key)
  return {
    address: account.address.toLowerCase() as Address,
    async sign({ nonce, call, gas, fees }) {
      const transaction: TransactionSerializableEIP1559 = {
        type: 'eip1559',
        chainId,
        nonce,
        to: call.to,
        data: call.data,
        gas,
        ...fees,
      }
      const raw = await account.signTransaction(transaction)
      return { raw, hash: keccak256(raw) }
    },
  }
}

function toAccount(key: Hex) {
  try {
    return privateKeyToAccount(key)
  } catch {
    // The cause's message may hold the key.
    throw new TypeError('the facilitator key is no private key')
  }
}
